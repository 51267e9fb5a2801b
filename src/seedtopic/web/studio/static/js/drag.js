// Dragging a word to a category, or to the place for a new one, with mouse or pen. A finger scrolls; on a phone
// the word's menu moves it.

import { h } from "./dom.js";

const BEGINS_AFTER = 5; // pixels: less is a click
const TARGETS = ".card, #drop-new";

// Resolves when no button of the mouse is down: what a person is about to click or drag must stay where it is.
let held = Promise.resolve();
export const released = () => held;
addEventListener("pointerdown", () => {
  held = new Promise((resolve) => {
    for (const type of ["pointerup", "pointercancel"]) addEventListener(type, resolve, { once: true });
  });
}, true);

// `onDrop(category)` is called with the name of a category, or with null for a new one.
export function startDrag(down, word, onDrop) {
  if (down.button !== 0 || down.pointerType === "touch") return;
  const drag = { ghost: null, over: null };

  const move = (event) => {
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < BEGINS_AFTER) return;
      drag.ghost = h("div.ghost", { "aria-hidden": "true" }, word);
      document.body.append(drag.ghost);
      document.body.classList.add("dragging");
    }
    drag.ghost.style.transform = `translate(${event.clientX + 8}px, ${event.clientY + 8}px)`;
    hover(document.elementFromPoint(event.clientX, event.clientY)?.closest(TARGETS) ?? null);
  };
  const hover = (target) => {
    if (target === drag.over) return;
    drag.over?.classList.remove("drop-here");
    drag.over = target;
    target?.classList.add("drop-here");
  };
  const end = (event) => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    removeEventListener("keydown", cancel, true);
    if (!drag.ghost) return;
    const target = event.type === "pointerup" ? drag.over : null;
    hover(null);
    drag.ghost.remove();
    document.body.classList.remove("dragging");
    // The click that follows a drag must not open the word's menu.
    const swallow = (click) => click.stopPropagation();
    addEventListener("click", swallow, true);
    setTimeout(() => removeEventListener("click", swallow, true));
    if (target) onDrop(target.dataset.category ?? null);
  };
  const cancel = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    end(event);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
  addEventListener("keydown", cancel, true);
}
