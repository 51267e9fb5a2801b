// The list of documents: filtered, loaded while scrolling, navigated with the arrow keys.

import { Unreachable, get } from "./api.js";
import { drawRow, makeRow } from "./document_row.js";
import { setAttribute, setText } from "./dom.js";
import { Filters } from "./filters.js";
import { count, plural } from "./numbers.js";
import { Pages } from "./pages.js";
import { VirtualList } from "./virtual_list.js";

const viewport = document.getElementById("list");
const found = document.getElementById("found");
const empty = document.getElementById("list-empty");

export class Documents {
  // `onOpen(id, takeFocus)` opens a document, `onLabel(document, number)` is called when a digit is pressed on one.
  constructor(store, { onOpen, onLabel }) {
    this.store = store;
    this.onOpen = onOpen;
    this.onLabel = onLabel;
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
    viewport.addEventListener("click", (event) => this.#onClick(event));
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
    const [first, last] = fromTop ? [0, this.list.rowsInSight()] : this.list.sight();
    if (!(await this.#need(next, first, Math.max(first, last))) || this.coming !== next) return;
    const activeId = this.pages.row(this.active)?.id;
    this.pages = next;
    if (fromTop) viewport.scrollTop = 0;
    this.active = fromTop ? Math.min(0, next.total - 1) : this.#placeOf(activeId);
    this.#arrived();
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
    setText(found, this.filters.active
      ? `${count(total)} of ${plural(this.store.state.documents.total, "document")}`
      : plural(total, "document"));
    empty.hidden = total > 0;
    setText(empty, this.filters.active ? "No documents match the filters." : "There are no documents.");
    this.#markActive();
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
    this.#goTo(this.active + by, true);
  }

  async #goTo(index, openIt) {
    const { total } = this.pages;
    if (!total) return;
    this.active = Math.min(Math.max(index, 0), total - 1);
    this.list.bringIntoSight(this.active);
    this.#markActive();
    if (!openIt) return;
    await this.#need(this.pages, this.active, this.active);
    const id = this.pages.row(this.active)?.id;
    if (id !== undefined) this.onOpen(id, false);
  }

  #onKey(event) {
    const page = this.list.rowsInSight();
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    const document = this.pages.row(this.active);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step) this.#goTo(this.active + step, this.open !== null);
    else if ((event.key === "Enter" || event.key === " ") && document) this.onOpen(document.id, true);
    else if (/^[0-9]$/.test(event.key) && document) this.onLabel(document, Number(event.key));
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
