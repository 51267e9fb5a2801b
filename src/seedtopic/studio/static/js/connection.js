// The stream of events, and whether there is one. The browser opens it again by itself after a break; where
// it has given up, we do.

import { Refused, events } from "./api.js";

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 15000;

export class Connection {
  constructor(store, onChange) {
    this.store = store;
    this.onChange = onChange;
    this.lost = false;
    this.refused = null;
    this.pause = FIRST_PAUSE;
  }

  open() {
    this.source?.close();
    this.source = events();
    this.source.addEventListener("open", () => this.#opened());
    this.source.addEventListener("error", () => this.dropped());
    this.source.addEventListener("state", () => this.#refresh());
    this.source.addEventListener("fit", (event) => this.#fit(JSON.parse(event.data)));
  }

  async #opened() {
    const wasLost = this.lost;
    this.lost = false;
    this.refused = null;
    this.pause = FIRST_PAUSE;
    // The studio may have been started anew meanwhile: its state replaces ours, edits that wait go on top.
    await this.#refresh(wasLost);
    this.onChange(this);
  }

  #fit(fit) {
    const before = this.store.state?.fit;
    this.store.fitProgress(fit);
    if (before && (before.revision !== fit.revision || before.status !== fit.status)) this.#refresh();
  }

  async #refresh(anew = false) {
    try {
      await this.store.refresh(anew);
    } catch (problem) {
      this.dropped(problem);
    }
  }

  // Also called when a request did not get through.
  dropped(problem = null) {
    this.lost = true;
    this.refused = problem instanceof Refused ? problem.message : null;
    this.onChange(this);
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      if (this.lost) this.open();
    }, this.pause);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
  }
}
