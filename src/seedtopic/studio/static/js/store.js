// The state as the studio last gave it, with the edits on top that it has not answered yet.

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
    // Kept when the first state is here: whoever types before that is served then.
    this.ready = new Promise((resolve) => {
      this.#becomesReady = resolve;
    });
  }

  subscribe(listener) {
    this.listeners.push(listener);
    if (this.state) listener(this.state);
  }

  // The place of a category, which gives its colour and shape; -1 where there is none.
  position(name) {
    return this.state.categories.findIndex((category) => category.name === name);
  }

  category(name) {
    return this.state.categories.find((category) => category.name === name);
  }

  // Differs whenever labels on screen may.
  get labelsVersion() {
    const { revision, fit } = this.state;
    return `${revision}/${fit.revision}/${fit.on}/${fit.settled}`;
  }

  edit(edit) {
    this.outbox.push(edit);
    this.#show();
    this.send();
  }

  // Sends what waits, one edit after the other.
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

  // Most edits can be sent twice without harm. An undo cannot, and nobody knows whether it arrived.
  #keepOrDrop(edit, problem) {
    if (edit.action !== "undo" && edit.action !== "redo") throw problem;
    this.onRefused(`The connection was lost during ${edit.action}: see whether it was done.`);
    this.onLost(problem);
  }

  // Asks for the state; one question at a time, and once more if something happened meanwhile.
  refresh(anew = false) {
    this.anew ||= anew;
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
      // An answer that an edit has overtaken says nothing new.
      if (!this.known || this.anew || state.revision >= this.known.revision) {
        this.known = state;
        this.anew = false;
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
