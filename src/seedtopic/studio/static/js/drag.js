// Dragging a word to another category with mouse or pen. A finger scrolls; on a phone the word's menu moves it.

import { h } from "./dom.js";
import { moveWord } from "./word_edits.js";

const BEGINS_AFTER = 5; // pixels: less is a click

export function startDrag(down, store, word, from) {
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
    hover(document.elementFromPoint(event.clientX, event.clientY)?.closest(".card") ?? null);
  };
  const hover = (card) => {
    if (card === drag.over) return;
    drag.over?.classList.remove("drop-here");
    drag.over = card;
    card?.classList.add("drop-here");
  };
  const end = (event) => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    removeEventListener("keydown", cancel, true);
    if (!drag.ghost) return;
    const to = event.type === "pointerup" ? drag.over?.dataset.category : undefined;
    hover(null);
    drag.ghost.remove();
    document.body.classList.remove("dragging");
    // The click that follows a drag must not open the word's menu.
    const swallow = (click) => click.stopPropagation();
    addEventListener("click", swallow, true);
    setTimeout(() => removeEventListener("click", swallow, true));
    if (to && store.category(to)) moveWord(store, word, from, to);
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
