// The state last received from the studio, plus the edits that the studio has not confirmed yet.

import { Refused, get, post } from "./api.js";
import { applied, described } from "./edits.js";
import { Outbox } from "./outbox.js";

export class Store {
  #becomesReady;

  constructor({ onRefused, onLost }) {
    this.known = null;
    this.state = null;
    this.outbox = new Outbox();
    this.listeners = [];
    this.onRefused = onRefused;
    this.onLost = onLost;
    this.sending = false;
    this.refreshing = null;
    // Edits made before the first state has arrived are kept until it arrives.
    this.ready = new Promise((resolve) => {
      this.#becomesReady = resolve;
    });
  }

  subscribe(listener) {
    this.listeners.push(listener);
    if (this.state) listener(this.state);
  }

  // The position of a category, which determines its colour and shape; -1 if there is no such category.
  position(name) {
    return this.state.categories.findIndex((category) => category.name === name);
  }

  category(name) {
    return this.state.categories.find((category) => category.name === name);
  }

  // Changes whenever the labels on screen may have changed.
  get labelsVersion() {
    const { revision, fit } = this.state;
    return `${revision}/${fit.revision}/${fit.on}/${fit.settled}`;
  }

  edit(edit) {
    this.outbox.push(this.#ofTheWhole(edit) ? { ...edit, revision: this.#seen } : edit);
    this.#show();
    this.send();
  }

  // An edit that concerns everything says what was on screen: the studio refuses it if another tab has made an
  // edit since, which it would take back.
  #ofTheWhole({ action }) {
    return this.known && ["undo", "redo", "replace_seeds"].includes(action);
  }

  get #seen() {
    return this.known.revision + this.outbox.length;
  }

  // Sends the waiting edits one after another.
  async send() {
    if (this.sending || !this.known) return;
    this.sending = true;
    try {
      while (this.outbox.length) await this.#sendFirst();
    } catch (problem) {
      this.onLost(problem);
    } finally {
      this.sending = false;
    }
  }

  async #sendFirst() {
    const edit = this.outbox.first;
    try {
      this.known = await post("/api/edit", edit);
    } catch (problem) {
      if (problem instanceof Refused) this.onRefused(`Could not ${described(edit)}. ${problem.message}`);
      else this.#keepOrDrop(edit, problem);
    }
    this.outbox.shift();
    this.#show();
  }

  // Most edits can be sent twice without harm. An undo cannot, and it is unknown whether it arrived.
  #keepOrDrop(edit, problem) {
    if (edit.action !== "undo" && edit.action !== "redo") throw problem;
    this.onRefused(`The connection was lost during ${edit.action}: check whether it was done.`);
    this.onLost(problem);
  }

  // Requests the state; one request at a time, and one more if something changed meanwhile.
  refresh(replace = false) {
    this.replace ||= replace;
    if (this.refreshing) {
      this.again = true;
      return this.refreshing;
    }
    this.refreshing = this.#ask().finally(() => {
      this.refreshing = null;
    });
    return this.refreshing;
  }

  async #ask() {
    do {
      this.again = false;
      const state = await get("/api/state");
      // A response older than an edit has nothing new.
      if (!this.known || this.replace || state.revision >= this.known.revision) {
        this.known = state;
        this.replace = false;
        this.#show();
      }
    } while (this.again);
    await this.send();
  }

  fitProgress(fit) {
    if (!this.known) return;
    this.known = { ...this.known, fit };
    this.#show();
  }

  #show() {
    if (!this.known) return;
    this.state = this.outbox.edits.reduce(applied, this.known);
    for (const listener of this.listeners) listener(this.state);
    this.#becomesReady();
  }
}
