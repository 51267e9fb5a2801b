// A document in the list: its label, its probability, its previous label, and the beginning of its text.

import { said } from "./checking.js";
import { h, setAttribute, setText } from "./dom.js";
import { percent } from "./numbers.js";
import { setShape, shape } from "./shapes.js";

export function makeRow() {
  const drawn = shape(-1);
  const label = h("span.row-label");
  const sure = h("span.row-sure");
  const before = h("span.row-before");
  const confirmed = h("span.row-confirmed");
  const name = h("span.row-name");
  const snippet = h("p.row-snippet");
  const row = h("div.row", { role: "option" },
    h("p.row-head", {}, drawn, label, sure, before, confirmed, name), snippet);
  row.parts = { drawn, label, sure, before, confirmed, name, snippet };
  return row;
}

// What it was confirmed as, unless that is its label.
function confirmedAs({ label, confirmed }) {
  return confirmed.length === 1 && confirmed[0] === label ? "confirmed" : said(confirmed);
}

// `found` is undefined until its page has arrived; the row keeps its place.
export function drawRow(row, index, found, { total, active, open, position }) {
  row.id = `row-${index}`;
  row.classList.toggle("active", active);
  row.classList.toggle("waiting", !found);
  setAttribute(row, "aria-posinset", index + 1);
  setAttribute(row, "aria-setsize", total);
  setAttribute(row, "aria-selected", String(Boolean(found) && found.id === open));
  row.document = found?.id;
  if (row.shown === found && row.shownAt === position) return;
  row.shown = found;
  row.shownAt = position;
  const { drawn, label, sure, before, confirmed, name, snippet } = row.parts;
  row.classList.toggle("unlabelled", found?.label === null);
  setShape(drawn, position);
  setText(label, found ? (found.label ?? "no label") : "");
  setText(sure, found && found.probability !== null ? percent(found.probability) : "");
  const moved = found?.before && found.before !== found.label && !found.confirmed;
  setText(before, moved ? `was ${found.before}` : "");
  setText(confirmed, found?.confirmed ? `✓ ${confirmedAs(found)}` : "");
  setText(name, found ? found.name : "");
  setText(snippet, found ? found.snippet : "");
}
