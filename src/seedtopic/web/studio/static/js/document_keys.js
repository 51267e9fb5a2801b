// The keys that check documents, wherever the focus is: arrows go on, numbers answer.

import { singleKeys } from "./help.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
const list = document.getElementById("list");
const panel = document.getElementById("document");

// Returns a function that takes a key event and tells whether the key was for a document.
export function documentKeys({ opened, documents, checking, categories }) {
  const answers = {
    Enter: (found) => found.label !== null && checking.answer(found, found.confirmed ?? [found.label]),
    Backspace: (found) => checking.remove(found),
    Delete: (found) => checking.remove(found),
    "+": (found) => checking.switchSeveral(found),
    s: (found) => checking.skip(found),
    0: (found) => checking.answer(found, []),
  };
  const numbered = (number) => (found) => {
    const category = categories()[number - 1];
    if (!category) return;
    if (checking.severalOf === found.id) checking.toggle(found, category.name);
    else checking.answer(found, [category.name]);
  };
  return ({ key, target, repeat }) => {
    if (STEPS[key]) {
      if (!opened.isOpen && !documents.isShown) return false;
      documents.step(STEPS[key]);
      return true;
    }
    const inside = list.contains(target) || panel.contains(target);
    if (!opened.isOpen && !list.contains(target)) return false;
    if (key.length === 1 && !inside && !singleKeys()) return false;
    if (key === "Enter" && target.matches("button, a, summary")) return false;
    const answer = /^[1-9]$/.test(key) ? numbered(Number(key)) : answers[key];
    if (!answer) return false;
    // A key that is held down answers once, and a document is answered after it is on screen.
    const found = opened.isOpen ? opened.shown : documents.current;
    if (found && !repeat) answer(found);
    return true;
  };
}
