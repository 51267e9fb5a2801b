// Keyboard shortcuts that work everywhere on the page.

import { singleKeys } from "./help.js";

const isField = (element) => element.matches("input:not([type=checkbox]), textarea, select");

// `documentKey(event)` takes the keys that check documents, and tells whether it took one.
export function startKeys({ undo, redo, help, search, newCategory, escape, documentKey }) {
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const control = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (document.querySelector("dialog[open]")) return;
    if (control && (key === "z" || key === "y")) {
      if (isField(target) && target.value !== "") return; // the field has its own history
      event.preventDefault();
      if (key === "y" || event.shiftKey) redo();
      else undo();
      return;
    }
    if (event.key === "Escape") {
      escape();
      return;
    }
    if (control || event.altKey || isField(target) || event.defaultPrevented || target.closest(".popover")) return;
    if (documentKey(event)) {
      event.preventDefault();
      return;
    }
    if (!singleKeys()) return;
    const action = { "?": help, "/": search, n: newCategory }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
