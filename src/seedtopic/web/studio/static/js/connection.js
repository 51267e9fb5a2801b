// The event stream and its connection state. After a break, the state is requested until there is a
// response; then the stream is opened again.

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
    this.lost = false;
    this.refused = null;
    this.pause = FIRST_PAUSE;
    await this.#refresh();
    this.onChange(this);
  }

  #fit(fit) {
    const before = this.store.state?.fit;
    this.store.fitProgress(fit);
    if (before && (before.revision !== fit.revision || before.status !== fit.status)) this.#refresh();
  }

  async #refresh() {
    try {
      await this.store.refresh();
    } catch (problem) {
      this.dropped(problem);
    }
  }

  // Also called when a request failed; the stream itself does not say why it broke.
  dropped(problem = null) {
    this.lost = true;
    if (problem) this.refused = problem instanceof Refused ? problem.message : null;
    this.onChange(this);
    if (this.timer) return;
    this.timer = setTimeout(() => this.#retry(), this.pause);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
  }

  async #retry() {
    this.timer = null;
    try {
      // The studio may have been restarted: its state replaces ours, and waiting edits are applied on top.
      await this.store.refresh(true);
      this.open();
    } catch (problem) {
      this.dropped(problem);
    }
  }
}
