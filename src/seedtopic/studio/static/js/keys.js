// Keyboard shortcuts that work everywhere on the page.

import { singleKeys } from "./help.js";

const isField = (element) => element.matches("input:not([type=checkbox]), textarea, select");

export function startKeys({ undo, redo, help, search, newCategory, escape }) {
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
    if (control || event.altKey || isField(target) || !singleKeys()) return;
    const action = { "?": help, "/": search, n: newCategory }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
