// Messages: announcements for screen readers, and small notes that disappear by themselves.

import { h, setText } from "./dom.js";

const SHOWN_FOR = 8000;

export function announce(words) {
  setText(document.getElementById("announcer"), words);
}

// A note; `action` is { words, run } for a button on it. A note about a problem stays until it is closed.
// Returns a function that closes it.
export function note(words, { problem = false, action = null } = {}) {
  const element = h("div.toast", { role: problem ? "alert" : "status" });
  if (problem) element.classList.add("problem");
  const close = () => element.remove();
  element.append(h("p", {}, words));
  if (action) {
    const run = () => {
      close();
      action.run();
    };
    element.append(h("button.link-button", { type: "button", onclick: run }, action.words));
  }
  element.append(h("button.close", { type: "button", "aria-label": "Close this message", onclick: close }, "×"));
  const place = document.getElementById("toasts");
  while (place.children.length > 2) place.firstChild.remove();
  place.append(element);
  if (!problem) setTimeout(close, SHOWN_FOR);
  return close;
}
