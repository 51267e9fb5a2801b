// An audit: a random sample is drawn, a person checks it without seeing the labels, and the result is shown.

import { get, post } from "./api.js";
import { drawResult } from "./audit_result.js";
import { drawColumns } from "./document_columns.js";
import { h } from "./dom.js";
import { announce, note } from "./messages.js";
import { shape } from "./shapes.js";

const LEAST = 10; // answers before there is a result
const SIZES = [20, 50, 100, 200];

const section = document.getElementById("quality");
const opened = document.getElementById("document");
const panel = document.getElementById("audit");
const body = document.getElementById("audit-body");
const below = document.getElementById("agreement");

export class AuditPanel {
  constructor(store, { onOpen }) {
    this.store = store;
    this.onOpen = onOpen;
    this.audit = null;
    this.given = new Map(); // answers that the studio has not told back yet
    this.place = 0;
    this.sampling = null; // the size of a sample that was asked for
    this.wanted = null; // "result" before all are checked, "walk" after that
    this.drawn = null;
    this.sending = Promise.resolve();
  }

  show({ quality, fit, revision, categories }) {
    const sample = quality.audit?.documents.map(({ id }) => id).join();
    if (sample !== this.sample) {
      this.given.clear();
      this.sample = sample;
      this.wanted = null;
      this.place = Math.max(0, quality.audit?.documents.findIndex(({ answered }) => !answered) ?? 0);
    }
    this.audit = quality.audit;
    if (this.audit) this.sampling = null;
    for (const { id, answered, answer } of this.audit?.documents ?? []) {
      if (answered && this.given.get(id) === answer) this.given.delete(id);
    }
    const ready = fit.status === "idle" && fit.revision === revision && revision >= 0 && fit.revision >= 0;
    const told = this.#mode === "walk" ? null : [quality.audit, this.given.size];
    const version = JSON.stringify([sample, this.#mode, told, ready, categories.map(({ name }) => name)]);
    if (version === this.drawn) return;
    this.drawn = version;
    this.ready = ready;
    this.#draw();
  }

  get #documents() {
    return this.audit.documents.map((one) => (this.given.has(one.id) ? { ...one, answered: true, answer: this.given.get(one.id) } : one));
  }

  get #mode() {
    if (!this.audit) return this.sampling === null ? "start" : "drawing";
    if (this.audit.used) return "result";
    return this.wanted ?? (this.#documents.every(({ answered }) => answered) ? "result" : "walk");
  }

  #draw() {
    const inside = panel.contains(document.activeElement);
    const mode = this.#mode;
    body.inert = mode === "drawing";
    below.hidden = mode === "drawing" || mode === "walk"; // whoever checks sees the documents alone, and nothing jumps
    if (mode === "start") body.replaceChildren(...this.#start());
    // The sample's place is taken with the click, so that nothing below it jumps when the sample arrives.
    else if (mode === "drawing") body.replaceChildren(...this.#frame("Drawing the sample…", "", { n: this.sampling, done: 0, text: h("div.audit-text") }));
    else if (mode === "walk") this.#walk();
    else if (this.given.size) body.replaceChildren(h("p.quiet", {}, "Estimating…"));
    else {
      body.replaceChildren(...drawResult(this.store, this.audit, {
        onOpen: this.onOpen,
        onUse: () => this.#ask({ action: "use" }),
        onAgain: () => this.#ask({ action: "end" }),
        onBack: () => this.#turnTo("walk"),
      }));
    }
    if (inside && !panel.contains(document.activeElement)) panel.focus();
  }

  #start() {
    const size = h("select", { id: "audit-size" }, ...SIZES.map((number) => h("option", { value: number, selected: number === 50 }, `${number} documents`)));
    const draw = h("button.button.primary", { type: "button", id: "audit-draw", disabled: !this.ready }, "Draw the sample");
    draw.addEventListener("click", () => this.#sample(Number(size.value)));
    return [
      h("p.quiet", {}, "Say of a few random documents which category is right, and see how many of all labels are right, in all and for each category, with 95 % intervals. The label is hidden while you check, so that it does not influence you."),
      h("p.quiet", {}, "The answers are kept with all others, but the model here does not learn from them while you check, or the result would be too good. When you have seen the result, you can use them as confirmed labels."),
      h("p.audit-start", {}, h("label", { for: "audit-size" }, "Check"), size, draw),
    ];
  }

  async #sample(n) {
    this.sampling = n;
    this.#draw();
    if (await this.#ask({ action: "draw", n })) return;
    this.sampling = null;
    this.#draw();
  }

  async #ask(request) {
    try {
      await post("/api/quality", request);
      panel.focus();
      return true;
    } catch (problem) {
      note(problem.message, { problem: true });
      return false;
    }
  }

  // --- checking one document after another ---

  async #walk() {
    const documents = this.#documents;
    const { id, name, answered, answer } = documents[this.place];
    const done = documents.filter((one) => one.answered).length;
    const text = h("div.audit-text", { tabindex: "0", role: "group", "aria-label": `Document ${name}` });
    const finish = h("button.link-button", { type: "button" }, "Show the result so far");
    finish.addEventListener("click", () => this.#turnTo("result"));
    body.replaceChildren(
      ...this.#frame(`Document ${name}`, ` ${this.place + 1} of ${documents.length}, ${done} checked`,
        { n: documents.length, done, text, answer: answered ? answer : undefined }),
      ...(done >= LEAST ? [h("p", {}, finish)] : []),
    );
    try {
      const found = await this.#load(id);
      if (this.#mode !== "walk" || this.#documents[this.place].id !== id) return;
      const columns = found.columns.filter((one) => one.name !== this.store.state.quality.compared); // it would tell
      text.replaceChildren(...drawColumns(columns), h("div.audit-words", {}, found.text));
      const next = documents[this.place + 1];
      if (next) this.#load(next.id).catch(() => null); // so that it is there when it is needed
    } catch (problem) {
      text.replaceChildren(h("p", {}, problem.message));
    }
  }

  #frame(title, progress, { n, done, text, answer }) {
    const step = (label, words, by) => h("button.icon-button", { type: "button", "aria-label": label, onclick: () => this.#step(by) }, words);
    return [
      h("div.audit-head", {},
        h("p", {}, h("strong", {}, title), h("span.quiet", {}, progress)),
        step("Previous document of the sample", "‹", -1), step("Next document of the sample", "›", 1)),
      h("progress.audit-progress", { max: n, value: done, "aria-label": "Checked documents" }),
      text,
      h("p.quiet", {}, "Which category is right?"),
      h("div.choice-row", { role: "group", "aria-label": "The right category" }, ...this.#choices(answer)),
    ];
  }

  #load(id) {
    if (this.loaded?.id !== id && this.coming?.id !== id) {
      [this.loaded, this.coming] = [this.coming, { id, found: get(`/api/documents/${id}`) }];
    }
    return (this.loaded?.id === id ? this.loaded : this.coming).found;
  }

  #choices(chosen) {
    const choice = (key, name, position) =>
      h("button.choice", { type: "button", "aria-pressed": String(chosen === name), onclick: () => this.#answer(name) },
        key === null ? null : h("kbd", {}, key), position === null ? null : shape(position), name ?? "none of these");
    const { categories } = this.store.state;
    return [...categories.map(({ name }, place) => choice(place < 9 ? String(place + 1) : null, name, place)), choice("0", null, null)];
  }

  // Shows the next document at once; the answer is sent meanwhile.
  #answer(category) {
    const { id } = this.#documents[this.place];
    this.given.set(id, category);
    announce(`Checked as ${category ?? "none of these"}`);
    this.sending = this.sending.then(() => this.#send(id, category));
    this.place = this.#after(this.place);
    this.#again();
  }

  // The next document that is not checked; when all are, the next one, and after the last one the result.
  #after(place) {
    const documents = this.#documents;
    const left = [...documents.keys()].filter((one) => !documents[one].answered);
    if (left.length) return left.find((one) => one > place) ?? left[0];
    if (place + 1 < documents.length) return place + 1;
    this.wanted = null;
    return 0;
  }

  #again() {
    this.drawn = null;
    panel.focus({ preventScroll: true });
    this.show(this.store.state);
  }

  #turnTo(wanted) {
    this.wanted = wanted;
    this.place = 0;
    this.#again();
  }

  async #send(id, category) {
    try {
      await post("/api/quality", { action: "answer", document: id, category });
    } catch (problem) {
      this.given.delete(id);
      note(`The answer was not kept: ${problem.message}`, { problem: true });
      this.#again();
    }
  }

  #step(by) {
    const count = this.audit.documents.length;
    this.place = (this.place + by + count) % count;
    this.#again();
  }

  // Takes a key event, wherever the focus is, and tells whether the key was an answer or a step.
  takesKey({ key, target, repeat }) {
    if (section.hidden || this.#mode !== "walk" || opened.contains(target)) return false;
    const { categories } = this.store.state;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const answer = key === "0" ? null : /^[1-9]$/.test(key) ? categories[Number(key) - 1]?.name : undefined;
    if (step === undefined && answer === undefined) return false;
    if (step !== undefined) this.#step(step);
    else if (!repeat) this.#answer(answer); // a key that is held down answers once
    return true;
  }
}
