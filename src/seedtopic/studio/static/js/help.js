// What the keys do. Single keys can be switched off, for those whom they disturb.

import { h } from "./dom.js";

const KEY = "seedtopic.singleKeys";

const GROUPS = [
  ["Everywhere", [
    [["Ctrl", "Z"], "undo"],
    [["Ctrl", "Shift", "Z"], "redo"],
    [["/"], "search the documents"],
    [["n"], "new category"],
    [["?"], "this help"],
    [["Esc"], "close what is open"],
  ]],
  ["In the field for words", [
    [["Enter"], "add; also a comma, or paste a list"],
    [["-"], "in front of a word: it speaks against the category"],
    [["Backspace"], "in the empty field: to the last word"],
  ]],
  ["On a word", [
    [["←", "→"], "to the next word"],
    [["Enter"], "open its sheet"],
    [["+", "−"], "more or less weight"],
    [["x"], "speaks against, or for, the category"],
    [["m"], "move to another category"],
    [["Ctrl", "← →"], "move to the category before or after"],
    [["Delete"], "remove"],
  ]],
  ["On a category’s ⋯ button", [
    [["Enter"], "rename, move, remove"],
    [["Ctrl", "↑ ↓"], "move up or down"],
  ]],
  ["In the list, and in a document", [
    [["↑", "↓"], "in the list: to the next document"],
    [["Enter"], "in the list: open it"],
    [["←", "→"], "in a document: to the next"],
    [["1", "… 9"], "confirm it as that category"],
    [["0"], "take the confirmation back"],
  ]],
  ["On the map", [
    [["Arrows"], "move the map"],
    [["+", "−", "0"], "zoom in, out, show all"],
    [["Enter"], "open the document at the cross"],
  ]],
];

export function singleKeys() {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

export function startHelp() {
  const dialog = document.getElementById("help");
  const open = () => {
    if (!dialog.open) dialog.showModal();
  };
  const box = h("input", { type: "checkbox", id: "single-keys" });
  box.checked = singleKeys();
  box.addEventListener("change", () => {
    try {
      localStorage.setItem(KEY, box.checked ? "on" : "off");
    } catch {
      box.checked = true;
    }
  });
  dialog.append(
    h("header.overlay-head", {}, h("h2", { id: "help-title" }, "Help and keys"),
      h("button.icon-button", { type: "button", "aria-label": "Close", onclick: () => dialog.close() }, "×")),
    h("p.quiet", {}, "Write words; documents are labelled anew after each change. A drag moves a word to another category; a click opens its sheet. Everything can be undone, and is saved as you go."),
    h("div.help-groups", {}, ...GROUPS.map(group)),
    h("p.help-switch", {}, box, h("label", { for: "single-keys" }, "The single keys /, n and ? work outside of fields")),
  );
  document.getElementById("help-open").addEventListener("click", open);
  return open;
}

function group([title, keys]) {
  return h("section", {}, h("h3", {}, title), h("dl", {}, ...keys.map(([names, use]) =>
    h("div", {}, h("dt", {}, ...names.map((name) => h("kbd", {}, name))), h("dd", {}, use)))));
}
