// A category: its name, its number of documents, its words, a field for more words, and suggestions.

import { focusChip, makeChip, updateChip } from "./chip.js";
import { h, reconcile, setAttribute, setText } from "./dom.js";
import { count, measuredShare, percent, plural, rightShare } from "./numbers.js";
import { moveItems } from "./moves.js";
import { closePopover, openPopover } from "./popover.js";
import { renameCategory } from "./rename.js";
import { setShape, shape } from "./shapes.js";
import { makeSuggestions } from "./suggestions.js";
import { makeWarnings, updateWarnings } from "./warnings.js";
import { addWords, moveCategory } from "./word_edits.js";

let made = 0;

export function makeCard(store) {
  made += 1;
  const card = h("article.card");
  const categoryOf = () => card.dataset.category;
  const drawn = shape(0);
  const name = h("h3.card-name", { id: `card-${made}` });
  const size = h("span.card-size");
  const menu = h("button.icon-button.card-menu", { type: "button", "aria-haspopup": "dialog", "aria-expanded": "false" }, "⋯");
  const share = h("span.share-fill");
  const reach = h("p.card-reach");
  const words = h("ul.chips");
  const field = h("input.add-words", { type: "text", placeholder: "Add words", spellcheck: "false", autocomplete: "off", enterkeyhint: "done" });
  const warnings = makeWarnings();
  const suggestions = makeSuggestions(store, categoryOf);
  card.parts = { drawn, name, size, menu, share, reach, words, field, warnings, suggestions };
  card.setAttribute("aria-labelledby", name.id);
  card.append(
    h("header.card-head", {}, drawn, name, size, menu),
    h("div.share", { "aria-hidden": "true" }, share),
    h("div.card-line", {}, reach, warnings.mark),
    warnings.list, words, field, suggestions,
  );
  menu.addEventListener("click", () => openMenu(store, card));
  menu.addEventListener("keydown", (event) => onMenuKey(event, store, categoryOf()));
  field.addEventListener("keydown", (event) => onFieldKey(event, store, card));
  field.addEventListener("paste", (event) => onPaste(event, store, card));
  // A comma ends a word; on a phone it may arrive without a key event.
  field.addEventListener("input", () => {
    if (/[,;]$/.test(field.value)) take(store, card);
  });
  words.addEventListener("focusin", (event) => onlyStop(words, event.target));
  return card;
}

export function updateCard(store, card, category, total) {
  const { drawn, name, size, menu, share, reach, words, field, warnings } = card.parts;
  const position = store.position(category.name);
  card.dataset.category = category.name;
  setShape(drawn, position);
  if (!name.querySelector("input")) setText(name, category.name);
  setText(size, count(category.size));
  setAttribute(size, "aria-label", `${plural(category.size, "document")} labelled ${category.name}`);
  setAttribute(menu, "aria-label", `Change ${category.name}`);
  share.className = `share-fill ${drawn.classList[1]}`;
  share.style.transform = `scaleX(${total ? category.size / total : 0})`;
  const labelled = total ? percent(category.size / total) : "0 %";
  const { measured } = category;
  const right = measured ? measuredShare(measured.value, measured) : category.right === null ? null : rightShare(category.right);
  setText(reach, [labelled, ...(right ? [right] : []), `words in ${count(category.reached)}`].join(" · "));
  setAttribute(reach, "title", `${plural(category.size, "document")}, ${labelled} of all documents, labelled ${category.name}${
    !right ? "" : measured ? `, ${right} as a checked sample says` : `, about ${right} as far as this can be told without labels`}; its words occur in ${count(category.reached)}`);
  setAttribute(name, "title", category.name);
  setAttribute(field, "aria-label", `Add words to ${category.name}`);
  setAttribute(words, "aria-label", `Words of ${category.name}`);
  reconcile(words, category.words, ({ word }) => word, () => makeChip(store, () => card.dataset.category),
    (chip, word) => updateChip(chip, word, category.name));
  onlyStop(words, words.querySelector('.chip-word[tabindex="0"]'));
  updateWarnings(warnings, distinct([...category.warnings, ...category.words.flatMap((word) => word.warnings)]), ({ length }) => length);
}

const distinct = (sentences) => [...new Set(sentences)];

// Only one chip of a card is in the tab order; arrow keys lead to the others.
function onlyStop(words, chosen) {
  const buttons = [...words.querySelectorAll(".chip-word")];
  const stop = buttons.includes(chosen) ? chosen : buttons[0];
  for (const button of buttons) setAttribute(button, "tabindex", button === stop ? 0 : -1);
}

function take(store, card) {
  const { field } = card.parts;
  const typed = field.value;
  field.value = "";
  addWords(store, card.dataset.category, typed);
}

function onFieldKey(event, store, card) {
  const { field, words } = card.parts;
  const atStart = field.value === "" || (field.selectionStart === 0 && field.selectionEnd === 0);
  if (event.key === "Enter" && !event.isComposing) {
    event.preventDefault();
    take(store, card);
  } else if ((event.key === "Backspace" && field.value === "") || (event.key === "ArrowLeft" && atStart)) {
    const last = words.lastElementChild;
    if (!last) return;
    event.preventDefault();
    focusChip(card.dataset.category, last.dataset.word);
  }
}

function onPaste(event, store, card) {
  const pasted = event.clipboardData.getData("text");
  if (!/[,;\t\r\n]/.test(pasted)) return;
  event.preventDefault();
  const { field } = card.parts;
  const typed = field.value;
  field.value = "";
  addWords(store, card.dataset.category, `${typed}${pasted}`);
}

function onMenuKey(event, store, category) {
  const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
  if (!event.ctrlKey || !step) return;
  event.preventDefault();
  event.stopPropagation();
  moveCategory(store, category, step);
  event.target.focus(); // elements lose the focus when they are moved
}

function openMenu(store, card) {
  const category = card.dataset.category;
  const position = store.position(category);
  const item = (words, run, disabled = false) =>
    h("button.sheet-item", { type: "button", disabled, onclick: () => {
      closePopover();
      run();
    } }, words);
  openPopover(card.parts.menu, `Change ${category}`, [
    item("Rename", () => renameCategory(store, category)),
    item("Move up", () => moveAndStay(store, card, -1), position === 0),
    item("Move down", () => moveAndStay(store, card, 1), position === store.state.categories.length - 1),
    ...moveItems(store, card.parts.menu, category),
  ]);
}

function moveAndStay(store, card, step) {
  moveCategory(store, card.dataset.category, step);
  card.parts.menu.focus();
}
