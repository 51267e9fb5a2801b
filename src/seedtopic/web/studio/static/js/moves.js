// Merging and removing categories: it is said before what becomes of their answers.

import { post } from "./api.js";
import { h, setText } from "./dom.js";
import { closePopover, openPopover } from "./popover.js";
import { mergeCategory, removeCategory } from "./word_edits.js";

// The items of a category's menu.
export function moveItems(store, menu, category) {
  const item = (words, run) => h("button.sheet-item", { type: "button", onclick: run }, words);
  const others = store.state.categories.filter(({ name }) => name !== category);
  const removes = { action: "remove_category", category };
  return [
    ...(others.length > 1 ? [item("Merge into…", () => chooseTarget(store, menu, category, others))] : []),
    item("Remove…", () => ask(menu, `Remove ${category}`, removes, () => {
      document.getElementById("new-category-name").focus();
      removeCategory(store, category);
    })),
  ];
}

function chooseTarget(store, menu, category, others) {
  closePopover(false);
  openPopover(menu, `Merge ${category} into`, others.map(({ name }) =>
    h("button.sheet-item", { type: "button", onclick: () =>
      ask(menu, `Merge into ${name}`, { action: "merge_category", category, into: name }, () => mergeCategory(store, category, name)) }, name)));
}

// Says what becomes of the answers, with a button that does it.
async function ask(menu, words, edit, run) {
  closePopover(false);
  const sentence = h("p.sheet-label", { role: "status" }, "…");
  openPopover(menu, words, [
    sentence,
    h("button.sheet-item", { type: "button", onclick: () => {
      closePopover();
      run();
    } }, words),
    h("button.sheet-item", { type: "button", onclick: () => closePopover() }, "Cancel"),
  ]);
  try {
    setText(sentence, `${(await post("/api/moves", edit)).sentence}.`);
  } catch (problem) {
    setText(sentence, problem.message);
  }
}
