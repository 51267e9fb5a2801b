// What a person says a document is: one category, several, or none of these. What was confirmed before is not
// overwritten by one key: the same key again changes it.

import { post } from "./api.js";
import { announce, note } from "./messages.js";

export const said = (labels) => labels.join(" and ") || "none of these";

export const title = (name) => (/^\d+$/.test(name) ? `Document ${name}` : name);

const same = (one, two) => one !== null && one.length === two.length && one.every((label) => two.includes(label));

export class Checking {
  // `onDone(id, words)` goes on to the next document, `onChange()` shows what has changed here.
  constructor(store, { onDone, onChange }) {
    this.store = store;
    this.onDone = onDone;
    this.onChange = onChange;
    this.asked = null;
    this.severalOf = null; // the document that is getting several labels
    this.closeNote = () => {};
  }

  // An answer by key: the next document comes.
  answer(found, labels) {
    const { id, confirmed, name } = found;
    const question = JSON.stringify([id, labels]);
    this.closeNote();
    if (confirmed && !same(confirmed, labels) && this.asked !== question) {
      this.asked = question;
      this.closeNote = note(`${title(name)} is confirmed as ${said(confirmed)}. Press the key again to change it to ${said(labels)}.`);
      return;
    }
    if (!same(confirmed, labels)) this.#confirm(found, labels);
    this.onDone(id, `Confirmed as ${said(labels)}.`);
  }

  // An answer by a button: the document stays, and the same button takes the answer back.
  choose(found, labels) {
    this.closeNote();
    this.#confirm(found, same(found.confirmed, labels) ? null : labels);
  }

  // One more label for a document, or one less.
  toggle(found, label) {
    const before = found.confirmed ?? [];
    const after = before.includes(label) ? before.filter((one) => one !== label) : [...before, label];
    this.closeNote();
    this.#confirm(found, after.length ? after : null, after.length < before.length);
  }

  remove(found) {
    if (!found.confirmed) return;
    this.closeNote();
    this.#confirm(found, null);
  }

  switchSeveral({ id }) {
    this.severalOf = this.severalOf === id ? null : id;
    announce(this.severalOf === null ? "One label" : "Several labels: choose each of them, then go on");
    this.onChange();
  }

  skip({ id }) {
    this.closeNote();
    post("/api/queue", { skip: id }).catch(() => {}); // a lost connection is shown elsewhere
    this.onDone(id, "Skipped.");
  }

  #confirm({ id, confirmed, name }, labels, adds = labels !== null && confirmed?.every((label) => labels.includes(label))) {
    this.asked = null;
    this.store.edit({ action: "confirm", document: id, labels });
    const now = labels === null ? "no longer confirmed" : `confirmed as ${said(labels)}`;
    if (!confirmed || (adds && confirmed.length)) announce(`${title(name)} is ${now}`);
    else {
      const undo = { words: "Undo", run: () => this.store.edit({ action: "undo" }) };
      this.closeNote = note(`${title(name)} was confirmed as ${said(confirmed)}, and is ${now}.`, { action: undo });
    }
  }
}
