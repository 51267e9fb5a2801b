// The other columns of a document's row: the first few at once, the others behind a switch.

import { h } from "./dom.js";
import { plural } from "./numbers.js";

const SHOWN = 6;

export function drawColumns(columns = []) {
  if (!columns.length) return [];
  const list = (some) => h("dl.columns", {}, ...some.map(({ name, value }) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
  const more = columns.slice(SHOWN);
  return [
    h("section", { "aria-label": "Other columns" }, list(columns.slice(0, SHOWN)),
      more.length ? h("details.more-columns", {}, h("summary", {}, `${plural(more.length, "more column")}`), list(more)) : null),
  ];
}
