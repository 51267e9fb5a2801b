// Warnings: a mark that says how many, which opens the sentences. The mark has its place whether there are any
// or not, so that nothing jumps when they come and go.

import { h, reconcile, setAttribute, setText } from "./dom.js";
import { plural } from "./numbers.js";

export function makeWarnings() {
  const list = h("ul.warning-list", { hidden: true });
  const mark = h("button.warning-mark", { type: "button", "aria-expanded": "false", disabled: true });
  mark.addEventListener("click", () => {
    list.hidden = !list.hidden;
    mark.setAttribute("aria-expanded", String(!list.hidden));
  });
  return { mark, list };
}

// `words` says what the mark shows beside its sign.
export function updateWarnings({ mark, list }, warnings, words) {
  mark.disabled = warnings.length === 0;
  setText(mark, warnings.length ? `⚠ ${words(warnings)}` : "");
  setAttribute(mark, "aria-label", warnings.length ? plural(warnings.length, "warning") : "No warnings");
  if (!warnings.length) {
    list.hidden = true;
    mark.setAttribute("aria-expanded", "false");
  }
  reconcile(list, warnings, (text) => text, (text) => h("li", {}, text), () => {});
}
