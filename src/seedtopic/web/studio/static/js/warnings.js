// Warnings: a mark with their number, which opens the sentences. The mark always takes up space, so that
// nothing jumps when warnings come and go.

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

// `words` returns the text of the mark.
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
