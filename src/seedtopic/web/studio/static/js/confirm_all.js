// Confirms all documents of the list at once, after a question that says how many there are.

import { h, setText } from "./dom.js";
import { note } from "./messages.js";
import { count, plural } from "./numbers.js";

const button = document.getElementById("confirm-all");
const dialog = document.getElementById("confirm-all-dialog");

export function startConfirmAll(store, documents) {
  const question = h("h2", { id: "confirm-all-title" });
  const rest = h("p.quiet");
  const choice = h("select", { id: "confirm-all-label", "aria-label": "Confirm them as" });
  const agree = h("button.button.primary", { type: "button" });
  const cancel = h("button.button", { type: "button", onclick: () => dialog.close() }, "Cancel");
  dialog.append(h("header.overlay-head", {}, question), rest, choice, h("p.overlay-buttons", {}, agree, cancel));
  let asked = null;

  const show = () => {
    const { total, checked, confirmable } = asked;
    const number = choice.value === "" ? confirmable : total - checked;
    setText(question, `Confirm ${plural(number, "document")}?`);
    setText(agree, `Confirm ${count(number)}`);
    agree.disabled = number === 0;
    const stays = [
      checked ? `${count(checked)} checked already: they stay as they are.` : "",
      choice.value === "" && total - checked > confirmable ? `${count(total - checked - confirmable)} without a label: they are left out.` : "",
    ];
    setText(rest, [`The list has ${plural(total, "document")}.`, ...stays].filter(Boolean).join(" "));
    return number;
  };
  choice.addEventListener("change", show);
  button.addEventListener("click", () => {
    const { total, checked, confirmable } = documents.pages;
    asked = { total, checked, confirmable, query: documents.filters.parameters() };
    const categories = store.state.categories.map(({ name }) => h("option", { value: name }, `All as ${name}`));
    choice.replaceChildren(h("option", { value: "" }, "Each as it is labelled now"), ...categories);
    show();
    dialog.showModal();
    agree.focus();
  });
  agree.addEventListener("click", () => {
    const number = show();
    store.edit({ action: "confirm_all", query: asked.query, label: choice.value || null, count: number });
    dialog.close();
    const undo = { words: "Undo", run: () => store.edit({ action: "undo" }) };
    note(`Confirmed ${plural(number, "document")}.`, { action: undo });
  });
}
