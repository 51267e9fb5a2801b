// Edits of words and categories, for both mouse and keyboard.

import { announce, note } from "./messages.js";
import { parted } from "./parse_words.js";

const WEIGHTS = [0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 10];

export function addWords(store, category, typed) {
  const { wanted, against } = parted(typed);
  const known = new Set(store.category(category).words.map(({ word }) => word));
  for (const [words, excluded] of [[wanted, false], [against, true]]) {
    const fresh = words.filter((word) => !known.has(word));
    if (fresh.length) store.edit({ action: "add_words", category, words: fresh, excluded });
    else if (words.length) note(`${words.join(", ")}: already in ${category}.`);
  }
}

export function removeWord(store, category, word) {
  store.edit({ action: "remove_word", category, word });
  announce(`${word} removed from ${category}`);
}

export function mergeCategory(store, category, into) {
  store.edit({ action: "merge_category", category, into });
  note(`Merged ${category} into ${into}.`, { action: { words: "Undo", run: () => store.edit({ action: "undo" }) } });
}

export function removeCategory(store, category) {
  store.edit({ action: "remove_category", category });
  note(`Removed ${category}.`, { action: { words: "Undo", run: () => store.edit({ action: "undo" }) } });
}

// The next weight up (step 1) or down (step -1).
export function stepWeight(store, category, { word, weight, excluded }, step) {
  if (excluded) {
    announce(`${word} is excluded from ${category} and has no weight`);
    return;
  }
  const next = step > 0 ? WEIGHTS.find((one) => one > weight) : WEIGHTS.findLast((one) => one < weight);
  if (next === undefined) return;
  store.edit({ action: "set_weight", category, word, weight: next });
  announce(`${word} has weight ${next}`);
}

export function toggleExcluded(store, category, { word, excluded }) {
  store.edit({ action: "set_excluded", category, word, excluded: !excluded });
  announce(excluded ? `${word} is a seed of ${category}` : `${word} is excluded from ${category}`);
}

export function moveWord(store, word, from, to) {
  if (from === to) return;
  store.edit({ action: "move_word", word, from, to });
  announce(`${word} moved from ${from} to ${to}`);
}

// Makes a category of a word, and moves the word there from `from` if it was a seed; returns the name.
export function makeCategoryOf(store, word, from = null) {
  let name = word;
  for (let number = 2; store.category(name); number += 1) name = `${word} ${number}`;
  if (from === null) store.edit({ action: "add_words", category: name, words: [word], excluded: false, new: true });
  else store.edit({ action: "move_word", word, from, to: name, new: true });
  announce(`New category ${name}`);
  return name;
}

export function moveCategory(store, category, step) {
  const position = store.position(category) + step;
  if (position < 0 || position >= store.state.categories.length) return;
  store.edit({ action: "move_category", category, position });
  announce(`${category} is now number ${position + 1}`);
}
