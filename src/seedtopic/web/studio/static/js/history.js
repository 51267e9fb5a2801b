// Undo and redo, which name the edit they would undo or redo.

import { setAttribute, setText } from "./dom.js";
import { announce } from "./messages.js";

export function startHistory(store) {
  const buttons = { undo: document.getElementById("undo"), redo: document.getElementById("redo") };
  const what = document.getElementById("undo-what");
  const run = (action) => {
    const words = store.state?.[action];
    if (!words) return;
    store.edit({ action });
    announce(`${action === "undo" ? "Undone" : "Redone"}: ${words}`);
  };

  for (const [action, button] of Object.entries(buttons)) button.addEventListener("click", () => run(action));
  store.subscribe((state) => {
    for (const [action, button] of Object.entries(buttons)) {
      const name = action === "undo" ? "Undo" : "Redo";
      const words = state[action] ? `${name}: ${state[action]}` : name;
      // Disabling the button would take the focus away from it.
      setAttribute(button, "aria-disabled", !state[action]);
      button.disabled = false;
      setAttribute(button, "aria-label", words);
      setAttribute(button, "title", words);
    }
    setText(what, state.undo ?? "");
    setAttribute(what, "title", state.undo ? `Undo: ${state.undo}` : null);
  });
  return run;
}
