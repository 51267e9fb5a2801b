// The menu of a word: change its weight, exclude it, move it to another category, remove it.

import { focusChip, moveOrMake } from "./chip.js";
import { h, setText } from "./dom.js";
import { closePopover, openPopover } from "./popover.js";
import { badge } from "./shapes.js";
import { stepWeight, toggleExcluded } from "./word_edits.js";

export function openChipSheet(store, anchor, category, word, focusOn = undefined) {
  const current = () => store.category(category).words.find((one) => one.word === word);
  const shown = h("output.weight-value");
  const change = (step) => () => {
    stepWeight(store, category, current(), step);
    show();
  };
  const less = h("button.step", { type: "button", "aria-label": "Less weight", onclick: change(-1) }, "−");
  const more = h("button.step", { type: "button", "aria-label": "More weight", onclick: change(1) }, "+");
  const turn = h("button.sheet-item", { type: "button" }, `Excluded from ${category}`);
  turn.addEventListener("click", () => {
    toggleExcluded(store, category, current());
    show();
  });
  const show = () => {
    const { weight, excluded } = current();
    setText(shown, String(weight));
    turn.setAttribute("aria-pressed", String(excluded));
    less.disabled = more.disabled = excluded; // an excluded word has no weight
  };
  show();
  const remove = h("button.sheet-item.danger", { type: "button" }, "Remove");
  remove.addEventListener("click", () => {
    closePopover();
    anchor.parentElement.querySelector(".chip-remove").click();
  });
  openPopover(anchor, `${word} in ${category}`, [
    h("p.sheet-title", {}, word),
    ...current().warnings.map((warning) => h("p.sheet-warning", {}, warning)),
    h("div.sheet-row", { role: "group", "aria-label": "Weight" },
      h("span", {}, "Weight"), less, shown, more),
    turn,
    ...moves(store, category, word),
    remove,
  ], focusOn);
}

function moves(store, category, word) {
  const others = store.state.categories.map(({ name }) => name).filter((name) => name !== category);
  const move = (to) => () => {
    closePopover(false);
    moveOrMake(store, word, category, to);
    if (to !== null) focusChip(to, word);
  };
  return categoryItems(store, "Move to", others, move);
}

// A menu item for each category and one for a new category; `run(name)` gives what it does, null means a new one.
export function categoryItems(store, title, names, run) {
  const item = (name, shown) =>
    h("button.sheet-item.move-to", { type: "button", "aria-label": `${title} ${name ?? "a new category"}`, onclick: run(name) }, shown);
  return [
    h("p.sheet-label", {}, title),
    ...names.map((name) => item(name, badge(name, store.position(name)))),
    item(null, "+ New category"),
  ];
}
