// The keyboard shortcuts. Single-key shortcuts can be switched off, for people whom they disturb.

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
    [["-"], "before a word: exclude it"],
    [["Backspace"], "in the empty field: go to the last word"],
  ]],
  ["On a word", [
    [["←", "→"], "go to the next word"],
    [["Enter"], "open its menu"],
    [["+", "−"], "more or less weight"],
    [["x"], "exclude or include it"],
    [["m"], "move to another category, or to a new one"],
    [["Ctrl", "← →"], "move to the previous or next category"],
    [["Delete"], "remove"],
  ]],
  ["On a suggestion", [
    [["Enter"], "add it to this category"],
    [["m"], "add it to another category, or to a new one"],
  ]],
  ["On a category’s ⋯ button", [
    [["Enter"], "rename, move, merge, remove"],
    [["Ctrl", "↑ ↓"], "move up or down"],
  ]],
  ["Documents, wherever the focus is", [
    [["→", "↓"], "next document"],
    [["←", "↑"], "previous document"],
    [["Enter"], "in the list: open it; then: its label is right"],
    [["1", "… 9"], "confirm it as that category"],
    [["0"], "none of these"],
    [["+"], "several labels: choose each, then go on"],
    [["s"], "skip it"],
    [["Delete"], "remove the confirmation"],
  ]],
  ["In a sample to check", [
    [["1", "… 9"], "answer with that category"],
    [["0"], "answer: none of these"],
    [["←", "→"], "go to the previous or next document of the sample"],
  ]],
  ["On the map", [
    [["Arrows"], "move the map"],
    [["+", "−", "0"], "zoom in, out, show all"],
    [["Enter"], "open the document at the crosshair"],
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
    h("p.quiet", {}, "Write words; the labels are updated after each change. Drag a word or a suggestion to another category, or to the top for a new one; click it to open its menu. Every edit and every answer is saved and can be undone."),
    h("div.help-groups", {}, ...GROUPS.map(group)),
    h("p.help-switch", {}, box, h("label", { for: "single-keys" }, "Single-key shortcuts: /, n, ?, and outside of documents 0 … 9, + and s")),
  );
  document.getElementById("help-open").addEventListener("click", open);
  return open;
}

function group([title, keys]) {
  return h("section", {}, h("h3", {}, title), h("dl", {}, ...keys.map(([names, use]) =>
    h("div", {}, h("dt", {}, ...names.map((name) => h("kbd", {}, name))), h("dd", {}, use)))));
}
