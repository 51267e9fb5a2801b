// A word of a category: its number of documents, its weight, and all the ways to change it.

import { openChipSheet } from "./chip_sheet.js";
import { h, setAttribute, setText } from "./dom.js";
import { startDrag } from "./drag.js";
import { count, plural, weight as times } from "./numbers.js";
import { renameCategory } from "./rename.js";
import { makeCategoryOf, moveWord, removeWord, stepWeight, toggleExcluded } from "./word_edits.js";

export function makeChip(store, categoryOf) {
  const name = h("span.chip-name");
  const weight = h("span.chip-weight");
  const reach = h("span.chip-count");
  const button = h("button.chip-word", { type: "button", "aria-haspopup": "dialog", "aria-expanded": "false", tabindex: "-1" }, name, weight, reach);
  const remove = h("button.chip-remove", { type: "button", tabindex: "-1" }, "×");
  const chip = h("li.chip", {}, button, remove);
  chip.parts = { name, weight, reach, button, remove };
  const word = () => chip.word;
  button.addEventListener("click", () => openChipSheet(store, button, categoryOf(), word().word));
  button.addEventListener("keydown", (event) => onKey(event, store, chip, categoryOf()));
  button.addEventListener("pointerdown", (event) => startDrag(event, word().word, (to) => moveOrMake(store, word().word, categoryOf(), to)));
  remove.addEventListener("click", () => {
    focusBeside(chip);
    removeWord(store, categoryOf(), word().word);
  });
  return chip;
}

export function updateChip(chip, word, category) {
  chip.word = word;
  const { name, weight, reach, button, remove } = chip.parts;
  const { documents, excluded, warnings } = word;
  chip.dataset.word = word.word;
  chip.classList.toggle("excluded", excluded);
  chip.classList.toggle("warned", warnings.length > 0);
  setText(name, word.word);
  setText(weight, word.weight === 1 ? "" : times(word.weight));
  setText(reach, documents === null ? "…" : count(documents));
  const said = [
    word.word,
    excluded ? `excluded from ${category}` : null,
    word.weight === 1 ? null : `weight ${word.weight}`,
    documents === null ? null : `in ${plural(documents, "document")}`,
    ...warnings,
  ];
  setAttribute(button, "aria-label", said.filter(Boolean).join(", "));
  setAttribute(button, "data-tip", warnings.length ? warnings.join("\n") : null);
  setAttribute(remove, "aria-label", `Remove ${word.word} from ${category}`);
}

// Moves a word to another category, or to a new one, which can be named at once.
export function moveOrMake(store, word, from, to) {
  if (to === null) renameCategory(store, makeCategoryOf(store, word, from));
  else if (store.category(to)) moveWord(store, word, from, to);
}

// Where the focus goes when a chip is removed: to its neighbour, or to the field for new words.
function focusBeside(chip) {
  const beside = chip.nextElementSibling ?? chip.previousElementSibling;
  const target = beside?.querySelector(".chip-word") ?? chip.closest(".card").querySelector(".add-words");
  target.focus();
}

export function focusChip(category, word) {
  const card = [...document.querySelectorAll(".card")].find((one) => one.dataset.category === category);
  const chip = [...(card?.querySelectorAll(".chip") ?? [])].find((one) => one.dataset.word === word);
  chip?.querySelector(".chip-word").focus();
}

function onKey(event, store, chip, category) {
  const word = chip.word;
  const action = {
    Delete: () => {
      focusBeside(chip);
      removeWord(store, category, word.word);
    },
    "+": () => stepWeight(store, category, word, 1),
    "=": () => stepWeight(store, category, word, 1),
    "-": () => stepWeight(store, category, word, -1),
    x: () => toggleExcluded(store, category, word),
    m: () => openChipSheet(store, chip.parts.button, category, word.word, ".move-to"),
    ArrowRight: () => (event.ctrlKey ? beyond(store, word.word, category, 1) : step(chip, 1)),
    ArrowLeft: () => (event.ctrlKey ? beyond(store, word.word, category, -1) : step(chip, -1)),
    ArrowDown: () => (event.ctrlKey ? beyond(store, word.word, category, 1) : step(chip, 1)),
    ArrowUp: () => (event.ctrlKey ? beyond(store, word.word, category, -1) : step(chip, -1)),
  }[event.key === "Backspace" ? "Delete" : event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action || event.altKey || event.metaKey || (event.ctrlKey && !event.key.startsWith("Arrow"))) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

function step(chip, by) {
  const beside = by > 0 ? chip.nextElementSibling : chip.previousElementSibling;
  if (beside) beside.querySelector(".chip-word").focus();
  else if (by > 0) chip.closest(".card").querySelector(".add-words").focus();
}

// Moves a word to the next category; after the last comes the first.
function beyond(store, word, category, by) {
  const { categories } = store.state;
  const to = categories[(store.position(category) + by + categories.length) % categories.length].name;
  moveWord(store, word, category, to);
  focusChip(to, word);
}
