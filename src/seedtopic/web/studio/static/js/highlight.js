// A text with its words marked by the category they count for. The line under a word is solid if the word
// counts for the label, dashed if for another category, and thicker the stronger its evidence.

import { h } from "./dom.js";
import { colourClass } from "./shapes.js";

export function highlighted(pieces, label, position) {
  return pieces.map(({ text, category, strength }) => {
    if (category === null || category === undefined) return document.createTextNode(text);
    const mark = h("mark", { "data-tip": category }, text);
    mark.classList.add(colourClass(position(category)), category === label ? "own" : "other");
    mark.style.setProperty("--strength", Math.min(1, Math.max(0, strength)).toFixed(2));
    return mark;
  });
}
