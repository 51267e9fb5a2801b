// The other columns of the documents' file. They never change, so that they are asked for once.

import { get } from "./api.js";

let asked = null;

// A promise of a list of { name, kind, different, values }.
export async function allColumns() {
  asked ??= get("/api/columns");
  try {
    return (await asked).columns;
  } catch (problem) {
    asked = null; // the next one who needs them asks again
    throw problem;
  }
}
