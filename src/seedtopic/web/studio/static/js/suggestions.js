// Suggested words for each card. They are requested when the labels have settled, or as soon as there are words
// while there are no labels, one card after another; an edit cancels the requests.

import { Refused, Unreachable, get } from "./api.js";
import { focusChip } from "./chip.js";
import { categoryItems } from "./chip_sheet.js";
import { h, reconcile, setAttribute, setText } from "./dom.js";
import { released, startDrag } from "./drag.js";
import { count, plural } from "./numbers.js";
import { closePopover, openPopover } from "./popover.js";
import { renameCategory } from "./rename.js";
import { addWords, makeCategoryOf } from "./word_edits.js";

const SHOWN = 8;

export function makeSuggestions(store, categoryOf) {
  const list = h("ul.suggestion-list");
  const note = h("p.suggestion-note", {}, "Suggestions appear with the first word.");
  const area = h("div.suggestions", { role: "group" }, note, list);
  area.wait = () => {
    setAttribute(area, "aria-busy", "true");
    if (!list.firstChild) setText(note, "Looking for words to suggest…");
  };
  area.show = (words) => {
    setAttribute(area, "aria-busy", null);
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
  const more = h("button.suggestion-more", { type: "button", tabindex: "-1", "aria-haspopup": "dialog", "aria-expanded": "false", "aria-label": `Add ${word} to another category` }, "▾");
  const item = h("li.suggested", {}, button, more);
  const take = (to) => {
    item.hidden = true;
    if (to === null) renameCategory(store, makeCategoryOf(store, word));
    else if (store.category(to)) addWords(store, to, word);
  };
  button.addEventListener("click", () => {
    const next = item.nextElementSibling ?? item.previousElementSibling;
    const field = button.closest(".card").querySelector(".add-words");
    take(categoryOf());
    // It is now a word of the category; the focus moves to the next suggestion.
    (next?.querySelector("button") ?? field).focus({ preventScroll: true });
  });
  const menu = (anchor) => openMenu(store, anchor, word, categoryOf(), take);
  more.addEventListener("click", () => menu(more));
  button.addEventListener("pointerdown", (event) => startDrag(event, word, take));
  button.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "m" || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    menu(button);
  });
  button.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    menu(button);
  });
  return item;
}

function openMenu(store, anchor, word, category, take) {
  const others = store.state.categories.map(({ name }) => name).filter((name) => name !== category);
  const run = (to) => () => {
    closePopover(false);
    take(to);
    if (to !== null) focusChip(to, word);
  };
  openPopover(anchor, `Add ${word} to another category`, [h("p.sheet-title", {}, word), ...categoryItems(store, "Add to", others, run)]);
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
  for (const card of cards) card.parts.suggestions.wait();
  for (const card of cards) {
    try {
      const found = await get("/api/suggestions", { category: card.dataset.category }, mine.signal);
      await released();
      mine.signal.throwIfAborted();
      if (card.isConnected) card.parts.suggestions.show(found.suggestions);
    } catch (problem) {
      if (problem.name === "AbortError" || problem instanceof Unreachable) return;
      if (!(problem instanceof Refused)) throw problem;
    }
  }
}
