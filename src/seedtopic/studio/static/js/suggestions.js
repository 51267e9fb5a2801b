// Suggested words for each card. They are requested when the labels have settled, or as soon as there are words
// while there are no labels, one card after another; an edit cancels the requests.

import { Refused, Unreachable, get } from "./api.js";
import { h, reconcile, setAttribute, setText } from "./dom.js";
import { count, plural } from "./numbers.js";
import { addWords } from "./word_edits.js";

const SHOWN = 8;

export function makeSuggestions(store, categoryOf) {
  const list = h("ul.suggestion-list");
  const note = h("p.suggestion-note", {}, "Suggestions appear with the first word.");
  const area = h("div.suggestions", { role: "group" }, note, list);
  area.show = (words) => {
    setAttribute(area, "aria-label", `Suggested for ${categoryOf()}`);
    setText(note, words.length ? "" : "No suggestions.");
    const focused = list.contains(document.activeElement);
    reconcile(list, words.slice(0, SHOWN), ({ word }) => word, (found) => makeSuggestion(store, categoryOf, found), update);
    // If the focused word is gone, the focus stays among the suggestions.
    if (focused && !list.contains(document.activeElement)) list.querySelector("button")?.focus({ preventScroll: true });
  };
  return area;
}

function makeSuggestion(store, categoryOf, { word }) {
  const button = h("button.suggestion", { type: "button" }, h("span", {}, `+ ${word}`), h("span.chip-count"));
  button.addEventListener("click", () => {
    const next = button.closest("li").nextElementSibling ?? button.closest("li").previousElementSibling;
    const field = button.closest(".card").querySelector(".add-words");
    addWords(store, categoryOf(), word);
    // It is now a word of the category; the focus moves to the next suggestion.
    (next?.querySelector("button") ?? field).focus({ preventScroll: true });
    button.closest("li").hidden = true;
  });
  return h("li", {}, button);
}

function update(item, { word, documents, examples, near }) {
  const button = item.firstChild;
  item.hidden = false;
  setText(button.lastChild, count(documents));
  setAttribute(button, "aria-label", `Add ${word}, in ${plural(documents, "document")}`);
  const meaning = near?.length ? [`Near in meaning to ${near.join(", ")}`] : [];
  const tip = [...meaning, ...(examples ?? [])];
  setAttribute(button, "data-tip", tip.length ? tip.join("\n") : null);
}

// Requests suggestions for all cards in turn; a newer call cancels an older one.
let asking = null;

export function stopAsking() {
  asking?.abort();
  asking = null;
}

export async function askForSuggestions(cards) {
  stopAsking();
  const mine = new AbortController();
  asking = mine;
  for (const card of cards) {
    try {
      const found = await get("/api/suggestions", { category: card.dataset.category }, mine.signal);
      if (card.isConnected) card.parts.suggestions.show(found.suggestions);
    } catch (problem) {
      if (problem.name === "AbortError" || problem instanceof Unreachable) return;
      if (!(problem instanceof Refused)) throw problem;
    }
  }
}
