// A small menu beside a button: the controls of a chip or a card. On a phone it slides in from below.

import { h } from "./dom.js";

const GAP = 6;
let open = null;

export function closePopover(refocus = true) {
  if (!open) return;
  const { sheet, anchor } = open;
  open = null;
  sheet.remove();
  anchor.setAttribute("aria-expanded", "false");
  if (refocus && anchor.isConnected) anchor.focus();
}

export function openPopover(anchor, label, children, focusOn = "button, input") {
  const wasOpen = open?.anchor === anchor;
  closePopover(false);
  if (wasOpen) {
    anchor.focus();
    return null;
  }
  const sheet = h("div.popover", { role: "dialog", "aria-label": label }, ...children);
  sheet.addEventListener("keydown", moveFocus);
  document.body.append(sheet);
  anchor.setAttribute("aria-expanded", "true");
  open = { sheet, anchor };
  place(sheet, anchor.getBoundingClientRect());
  (sheet.querySelector(focusOn) ?? sheet.querySelector("button")).focus();
  return sheet;
}

function place(sheet, box) {
  const { width, height } = sheet.getBoundingClientRect();
  const left = Math.min(box.left, innerWidth - width - GAP);
  const below = box.bottom + GAP;
  const top = below + height > innerHeight - GAP ? Math.max(GAP, box.top - height - GAP) : below;
  sheet.style.setProperty("--left", `${Math.max(GAP, left)}px`);
  sheet.style.setProperty("--top", `${top}px`);
}

function moveFocus(event) {
  if (event.key === "Escape") {
    event.stopPropagation();
    closePopover();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? (event.key === "Tab" ? (event.shiftKey ? -1 : 1) : 0);
  if (!step) return;
  event.preventDefault();
  const stops = [...event.currentTarget.querySelectorAll("button:not(:disabled), input")];
  const place = stops.indexOf(document.activeElement) + step;
  stops[(place + stops.length) % stops.length].focus();
}

export function startPopovers() {
  document.addEventListener("pointerdown", (event) => {
    if (open && !open.sheet.contains(event.target) && !open.anchor.contains(event.target)) closePopover(false);
  });
  addEventListener("resize", () => closePopover(false));
}
