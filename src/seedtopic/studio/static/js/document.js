// One open document: its label, the explanation, and the buttons to confirm or correct the label.

import { Refused, get } from "./api.js";
import { drawColumns } from "./document_columns.js";
import { h } from "./dom.js";
import { highlighted } from "./highlight.js";
import { announce, note } from "./messages.js";
import { percent } from "./numbers.js";
import { badge, colourClass, shape } from "./shapes.js";

const panel = document.getElementById("document");
const narrow = matchMedia("(max-width: 760px)");
const BEHIND = ["bar", "status", "views", "words", "documents", "map", "changes"];

export class OpenDocument {
  constructor(store, { onShow, onClose, onStep }) {
    this.store = store;
    this.onShow = onShow;
    this.onClose = onClose;
    this.onStep = onStep;
    this.id = null;
    this.version = null;
    this.found = null;
    panel.addEventListener("keydown", (event) => this.#onKey(event));
    narrow.addEventListener("change", () => this.#coverRest());
    store.subscribe(() => this.#stateChanged());
  }

  #stateChanged() {
    if (this.store.labelsVersion === this.version) return;
    this.version = this.store.labelsVersion;
    if (this.id !== null) this.show(this.id, false);
  }

  async show(id, takeFocus) {
    this.id = id;
    this.onShow(id);
    let found;
    try {
      found = await get(`/api/documents/${encodeURIComponent(id)}`);
    } catch (problem) {
      if (problem instanceof Refused) note(problem.message, { problem: true });
      return;
    }
    if (this.id !== id) return; // another document was opened meanwhile
    const another = this.found?.id !== id;
    this.found = found;
    this.#draw(another);
    if (takeFocus || (narrow.matches && another)) panel.focus();
  }

  close() {
    if (this.id === null) return;
    this.id = null;
    this.found = null;
    panel.hidden = true;
    document.body.classList.remove("document-open");
    this.#coverRest();
    this.onClose();
  }

  // On a phone the document covers the page; the page must not be reachable behind it.
  #coverRest() {
    for (const id of BEHIND) document.getElementById(id).inert = narrow.matches && this.id !== null;
  }

  // Confirms a label by the number of its category; 0 removes the confirmation.
  label({ id, confirmed }, number) {
    const category = this.store.state.categories[number - 1];
    if (category) this.confirm(id, category.name);
    else if (number === 0 && confirmed !== null) this.confirm(id, null);
  }

  confirm(id, label) {
    this.store.edit({ action: "confirm", document: id, label });
    announce(label === null ? "Confirmation removed" : `Confirmed as ${label}`);
  }

  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select")) return;
    if (event.key === "Escape") this.close();
    else if (/^[0-9]$/.test(event.key)) this.label(this.found, Number(event.key));
    else if (event.key === "ArrowLeft") this.onStep(-1);
    else if (event.key === "ArrowRight") this.onStep(1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #draw(another) {
    const focused = panel.contains(document.activeElement) ? document.activeElement.dataset.stays : undefined;
    const scrolled = panel.querySelector(".document-body")?.scrollTop ?? 0;
    panel.hidden = false;
    document.body.classList.add("document-open");
    this.#coverRest();
    const body = h("div.document-body", { tabindex: "0", role: "group", "aria-label": "Document", "data-stays": "body" },
      ...this.#verdict(), this.#choice(), ...drawColumns(this.found.columns), ...this.#text(), ...this.#why());
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
      h("h2", { id: "document-name" }, /^\d+$/.test(this.found.name) ? `Document ${this.found.name}` : this.found.name),
      button("Previous document", "‹", "previous", () => this.onStep(-1)),
      button("Next document", "›", "next", () => this.onStep(1)),
      button("Close the document", "×", "close", () => this.close()));
  }

  #verdict() {
    const { label, probability, runner_up: second } = this.found;
    const parts = [badge(label, this.store.position(label))];
    if (probability !== null) parts.push(h("span.verdict-sure", {}, percent(probability)));
    if (second) parts.push(h("span.quiet", {}, "then"), badge(second, this.store.position(second)));
    return [h("p.verdict", {}, ...parts), h("p.prose", {}, this.found.prose ?? "")];
  }

  #choice() {
    const { id, label, confirmed } = this.found;
    const buttons = this.store.state.categories.map(({ name }, place) =>
      h("button.choice", {
        type: "button",
        "aria-pressed": String(confirmed === name),
        "data-stays": `choice ${name}`,
        onclick: () => this.confirm(id, confirmed === name ? null : name),
      }, place < 9 ? h("kbd", {}, String(place + 1)) : null, shape(place), name));
    const words = confirmed
      ? confirmed === label ? "Confirmed. The model learns from it." : `Corrected to ${confirmed}. The next fit learns from it.`
      : "Is the label right? Choose the right category, and the model learns from it.";
    return h("div.choices", { role: "group", "aria-label": "Confirm or correct the label" },
      h("p.quiet", {}, words), h("div.choice-row", {}, ...buttons));
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
