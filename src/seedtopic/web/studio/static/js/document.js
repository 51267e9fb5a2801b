// One open document: its label, the explanation, and the buttons to confirm or correct the label.

import { Refused, get } from "./api.js";
import { title } from "./checking.js";
import { drawChoices } from "./choices.js";
import { drawColumns } from "./document_columns.js";
import { h } from "./dom.js";
import { highlighted } from "./highlight.js";
import { announce, note } from "./messages.js";
import { percent } from "./numbers.js";
import { badge, colourClass } from "./shapes.js";

const panel = document.getElementById("document");
const narrow = matchMedia("(max-width: 760px)");
const BEHIND = ["bar", "status", "views", "words", "documents", "map", "changes", "quality"];

export class OpenDocument {
  // `progress()` says how many documents are checked.
  constructor(store, checking, { onShow, onClose, onStep, progress }) {
    this.store = store;
    this.checking = checking;
    this.progress = progress;
    this.onShow = onShow;
    this.onClose = onClose;
    this.onStep = onStep;
    this.id = null;
    this.version = null;
    this.found = null;
    narrow.addEventListener("change", () => this.#coverRest());
    store.subscribe(() => this.#stateChanged());
  }

  #stateChanged() {
    if (this.store.labelsVersion === this.version) return;
    this.version = this.store.labelsVersion;
    if (this.id !== null) this.show(this.id, false);
  }

  get isOpen() {
    return this.id !== null;
  }

  // The document on screen; null while another one is on its way.
  get shown() {
    return this.found?.id === this.id ? this.found : null;
  }

  // Draws it again, with the same data.
  redraw() {
    if (this.shown) this.#draw(false);
  }

  // `words` are said first to those who listen, such as what was confirmed before.
  async show(id, takeFocus, words = "") {
    this.id = id;
    this.onShow(id);
    this.#makeRoom();
    let found;
    try {
      found = await get(`/api/documents/${encodeURIComponent(id)}`);
    } catch (problem) {
      if (problem instanceof Refused) note(problem.message, { problem: true });
      if (this.id === id && !this.found) this.close();
      return;
    }
    if (this.id !== id) return; // another document was opened meanwhile
    const another = this.found?.id !== id;
    this.found = found;
    this.#draw(another);
    if (words) announce(`${words} ${title(found.name)}: ${found.label ?? "no label"}${found.probability === null ? "" : `, ${percent(found.probability)}`}.`);
    if (takeFocus || (narrow.matches && another)) panel.focus();
  }

  // The panel opens with the click, not when the document has arrived: nothing jumps later.
  #makeRoom() {
    panel.hidden = false;
    document.body.classList.add("document-open");
    this.#coverRest();
  }

  close() {
    if (this.id === null) return;
    this.id = null;
    this.found = null;
    panel.hidden = true;
    panel.replaceChildren();
    document.body.classList.remove("document-open");
    this.#coverRest();
    this.onClose();
  }

  // On a phone the document covers the page; the page must not be reachable behind it.
  #coverRest() {
    for (const id of BEHIND) document.getElementById(id).inert = narrow.matches && this.id !== null;
  }

  #draw(another) {
    const focused = panel.contains(document.activeElement) ? document.activeElement.dataset.stays : undefined;
    const scrolled = panel.querySelector(".document-body")?.scrollTop ?? 0;
    const body = h("div.document-body", { tabindex: "0", role: "group", "aria-label": "Document", "data-stays": "body" },
      ...this.#verdict(), drawChoices(this.found, this.store.state.categories, this.checking, this.progress()), ...drawColumns(this.found.columns), ...this.#text(), ...this.#why());
    panel.replaceChildren(this.#head(), body);
    if (!another) body.scrollTop = scrolled;
    if (focused) panel.querySelector(`[data-stays="${CSS.escape(focused)}"]`)?.focus();
  }

  #head() {
    const button = (label, path, stays, run) => {
      const made = h("button.icon-button", { type: "button", "aria-label": label, title: label, "data-stays": stays, onclick: run }, path);
      return made;
    };
    return h("header.document-head", {},
      h("h2", { id: "document-name" }, title(this.found.name)),
      button("Previous document", "‹", "previous", () => this.onStep(-1)),
      button("Next document", "›", "next", () => this.onStep(1)),
      button("Close the document", "×", "close", () => this.close()));
  }

  #verdict() {
    const { label, probability, runner_up: second } = this.found;
    const parts = [badge(label, this.store.position(label))];
    if (probability !== null) parts.push(h("span.verdict-sure", {}, percent(probability)));
    if (second) parts.push(h("span.quiet", {}, "then"), badge(second, this.store.position(second)));
    return [h("p.verdict", {}, ...parts), h("p.prose", {}, this.found.prose ?? ""),
      ...(this.found.answers ? [h("p.quiet.document-answers", {}, this.found.answers)] : [])];
  }

  #text() {
    const { pieces, text, label } = this.found;
    const shown = pieces?.length ? pieces : [{ text, category: null, strength: 0 }];
    return [h("div.document-text", {}, ...highlighted(shown, label, (name) => this.store.position(name)))];
  }

  #why() {
    const { words = [], flips } = this.found;
    const strongest = Math.max(...words.map(({ evidence }) => Math.abs(evidence)), 1e-9);
    const rows = words.slice(0, 12).map(({ word, category, evidence }) => {
      const bar = h("span.evidence-fill");
      bar.classList.add(colourClass(this.store.position(category)));
      bar.style.transform = `scaleX(${Math.abs(evidence) / strongest})`;
      return h("tr", {}, h("th", { scope: "row" }, word), h("td", {}, badge(category, this.store.position(category))),
        h("td", {}, h("span.evidence", {}, bar)), h("td.number", {}, evidence.toFixed(2)));
    });
    const parts = [];
    if (flips) parts.push(h("h3", {}, "What would change it"), h("p.flips", {}, flips));
    if (rows.length) {
      parts.push(h("h3", {}, "Evidence of the words"), h("table.evidence-table", {},
        h("thead.hidden", {}, h("tr", {}, ...["Word", "For", "How much", "Evidence"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, ...rows)));
    }
    return parts;
  }
}
