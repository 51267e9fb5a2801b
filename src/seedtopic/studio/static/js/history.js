// Undo and redo, which say what they would do.

import { setAttribute, setText } from "./dom.js";
import { announce } from "./messages.js";

export function startHistory(store) {
  const buttons = { undo: document.getElementById("undo"), redo: document.getElementById("redo") };
  const what = document.getElementById("undo-what");
  const run = (action) => {
    const words = store.state?.[action];
    if (!words) return;
    store.edit({ action });
    announce(`${action === "undo" ? "Undone" : "Done again"}: ${words}`);
  };

  for (const [action, button] of Object.entries(buttons)) button.addEventListener("click", () => run(action));
  store.subscribe((state) => {
    for (const [action, button] of Object.entries(buttons)) {
      const name = action === "undo" ? "Undo" : "Redo";
      const words = state[action] ? `${name}: ${state[action]}` : name;
      // A button that switches itself off would lose the focus of whoever is on it.
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
