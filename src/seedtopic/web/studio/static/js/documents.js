// The list of documents: filtered, loaded while scrolling, navigated with the arrow keys.

import { Unreachable, get, post } from "./api.js";
import { drawRow, makeRow } from "./document_row.js";
import { setAttribute, setText } from "./dom.js";
import { Filters } from "./filters.js";
import { announce } from "./messages.js";
import { count, plural } from "./numbers.js";
import { Pages } from "./pages.js";
import { VirtualList } from "./virtual_list.js";

const viewport = document.getElementById("list");
const found = document.getElementById("found");
const checked = document.getElementById("checked");
const confirmAll = document.getElementById("confirm-all");
const more = document.getElementById("queue-more");
const empty = document.getElementById("list-empty");
const panel = document.getElementById("documents");

export class Documents {
  // `onOpen(id, takeFocus, words)` opens a document.
  constructor(store, { onOpen }) {
    this.store = store;
    this.onOpen = onOpen;
    this.done = new Set(); // checked or skipped since the queue was loaded
    this.wantsNext = false; // the next document of the queue is opened when it comes
    this.active = -1;
    this.open = null;
    this.version = null;
    this.pages = this.#newPages();
    this.filters = new Filters(() => this.reload(true));
    this.list = new VirtualList(viewport, document.getElementById("list-runway"), {
      make: makeRow,
      draw: (row, index) => this.#draw(row, index),
      onSight: (first, last) => this.#need(this.pages, first, last),
    });
    viewport.addEventListener("keydown", (event) => this.#onKey(event));
    viewport.addEventListener("focus", () => {
      if (this.active < 0 && this.pages.total) this.#goTo(0, false);
    });
    viewport.addEventListener("click", (event) => this.#onClick(event));
    more.addEventListener("click", () => this.#anotherRound());
    store.subscribe((state) => this.#stateChanged(state));
  }

  #stateChanged(state) {
    this.filters.show(state);
    if (this.store.labelsVersion === this.version) return;
    this.version = this.store.labelsVersion;
    this.reload();
  }

  // New rows replace the old ones only after they have arrived, so that nothing flickers.
  async reload(fromTop = false) {
    await this.store.ready;
    const next = this.#newPages();
    this.coming = next;
    if (this.filters.queue && !this.pages.queue) setText(found, "Choosing the documents…");
    const [first, last] = fromTop ? [0, this.list.rowsInSight()] : this.list.sight();
    if (!(await this.#need(next, first, Math.max(first, last))) || this.coming !== next) return;
    const activeId = this.pages.row(this.active)?.id;
    this.pages = next;
    this.done.clear();
    if (fromTop) viewport.scrollTop = 0;
    this.active = fromTop ? Math.min(0, next.total - 1) : this.#placeOf(activeId);
    this.#arrived();
  }

  async #anotherRound() {
    try {
      await post("/api/queue", { more: true });
    } catch {
      return; // a lost connection is shown elsewhere
    }
    this.wantsNext = this.open !== null;
    await this.reload(true);
    this.focus();
  }

  #placeOf(id) {
    const place = id === undefined ? -1 : this.pages.indexOf(id);
    return place >= 0 ? place : Math.min(this.active, this.pages.total - 1);
  }

  #newPages() {
    const parameters = this.filters?.parameters() ?? {};
    const fetchPage = (offset, limit) => get("/api/documents", { offset, limit, ...parameters });
    return new Pages(fetchPage, (pages) => {
      if (pages === this.pages) this.#arrived();
    });
  }

  // Returns whether the rows arrived; a lost connection is shown elsewhere, and the list keeps its rows.
  async #need(pages, first, last) {
    try {
      await pages.need(first, last);
      return true;
    } catch (problem) {
      if (problem instanceof Unreachable) return false;
      setText(found, problem.message);
      return false;
    }
  }

  #arrived() {
    const { total } = this.pages;
    this.list.setLength(total);
    const all = this.store.state.documents.total;
    if (this.pages.queue) setText(found, this.progress());
    else setText(found, this.filters.active || total < all ? `${count(total)} of ${plural(all, "document")}` : plural(total, "document"));
    setText(checked, !this.pages.queue && this.pages.checked ? `· ${count(this.pages.checked)} checked` : "");
    confirmAll.hidden = !this.filters.active || this.filters.queue || this.pages.total === this.pages.checked;
    more.hidden = !this.#roundIsOver;
    empty.hidden = total > 0;
    setText(empty, this.#emptyWords());
    this.#markActive();
    if (this.wantsNext && this.pages.queue) this.#openNext(null, this.progress());
  }

  get #roundIsOver() {
    const { queue } = this.pages;
    return Boolean(queue) && queue.checked >= queue.goal;
  }

  #emptyWords() {
    if (!this.pages.queue) return this.filters.active ? "No documents match the filters." : "There are no documents.";
    if (this.#roundIsOver) return "This round is done.";
    return this.store.state.fit.status === "idle" ? "There is nothing left to check." : "The next documents come with the next labels.";
  }

  // How many documents of the list are checked.
  progress() {
    const { queue, total } = this.pages;
    if (!queue) return total ? `${count(this.pages.checked)} of ${count(total)} checked` : "";
    return `${count(queue.checked)} of ${count(queue.goal)} checked${queue.skipped ? ` · ${count(queue.skipped)} skipped` : ""}`;
  }

  // The document that the list points at.
  get current() {
    return this.pages.row(this.active) ?? null;
  }

  get isShown() {
    return !panel.hidden;
  }

  // After an answer, the next document comes: the next of the list, or the best of the queue.
  next(id, words) {
    if (this.filters.queue) {
      this.done.add(id);
      this.#openNext(id, words);
      return;
    }
    const place = this.pages.indexOf(id);
    if (place >= 0 && place + 1 < this.pages.total) this.#goTo(place + 1, this.open !== null, words);
    else announce(`${words} This was the last document of the list.`);
  }

  #openNext(id, words) {
    const rows = Array.from({ length: this.pages.total }, (_, place) => this.pages.row(place));
    const place = rows.findIndex((row) => row && row.id !== id && !row.confirmed && !this.done.has(row.id));
    this.wantsNext = place < 0 && !this.#roundIsOver;
    if (place >= 0) this.#goTo(place, this.open !== null, words);
    else announce(`${words} ${this.#emptyWords()}`);
  }

  #draw(row, index) {
    const document = this.pages.row(index);
    drawRow(row, index, document, {
      total: this.pages.total,
      active: index === this.active,
      open: this.open,
      position: document?.label ? this.store.position(document.label) : -1,
    });
  }

  #markActive() {
    setAttribute(viewport, "aria-activedescendant", this.active >= 0 ? `row-${this.active}` : null);
    this.list.soon();
  }

  // Marks a document as open; if it was opened elsewhere, such as on the map, it may be out of sight.
  setOpen(id) {
    this.open = id;
    const place = id === null ? -1 : this.pages.indexOf(id);
    if (place >= 0) this.active = place;
    this.#markActive();
  }

  focus() {
    viewport.focus();
  }

  step(by) {
    this.wantsNext = false;
    this.#goTo(this.active + by, this.open !== null);
  }

  async #goTo(index, openIt, words = "") {
    const { total } = this.pages;
    if (!total) return;
    this.active = Math.min(Math.max(index, 0), total - 1);
    this.list.bringIntoSight(this.active);
    this.#markActive();
    if (!openIt) {
      if (words) announce(words);
      return;
    }
    await this.#need(this.pages, this.active, this.active);
    const id = this.pages.row(this.active)?.id;
    if (id !== undefined) this.onOpen(id, false, words);
  }

  #onKey(event) {
    const page = this.list.rowsInSight();
    const step = { PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    const { current } = this;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step) this.#goTo(this.active + step, this.open !== null);
    else if ((event.key === "Enter" || event.key === " ") && current && current.id !== this.open) this.onOpen(current.id, true);
    else return;
    event.preventDefault();
  }

  #onClick(event) {
    const row = event.target.closest(".row");
    if (!row || row.document === undefined) return;
    this.active = Number(row.id.slice("row-".length));
    this.#markActive();
    this.onOpen(row.document, false);
  }
}
