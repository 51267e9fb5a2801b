// Edits that the studio has not confirmed yet. They are also stored in the browser, so that neither a lost
// connection nor a reload loses one.

const KEY = "seedtopic.outbox";

export class Outbox {
  constructor() {
    this.edits = [];
    try {
      this.edits = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    } catch {
      // There was nothing readable in the storage.
    }
  }

  get first() {
    return this.edits[0];
  }

  get length() {
    return this.edits.length;
  }

  push(edit) {
    this.edits = [...this.edits, edit];
    this.keep();
  }

  shift() {
    this.edits = this.edits.slice(1);
    this.keep();
  }

  keep() {
    try {
      if (this.edits.length) sessionStorage.setItem(KEY, JSON.stringify(this.edits));
      else sessionStorage.removeItem(KEY);
    } catch {
      // Without storage, edits last as long as the page.
    }
  }
}
