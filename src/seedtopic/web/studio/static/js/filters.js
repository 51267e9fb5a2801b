// The filters of the list of documents.

import { ColumnFilter } from "./column_filter.js";
import { h, reconcile, setAttribute, setText } from "./dom.js";
import { count } from "./numbers.js";

const BANDS = [
  ["Any confidence", 0, 1],
  ["Below 50 %", 0, 0.5],
  ["50 to 80 %", 0.5, 0.8],
  ["80 to 95 %", 0.8, 0.95],
  ["Above 95 %", 0.95, 1],
];
const TYPING = 200; // milliseconds without a key before a search starts

const search = document.getElementById("filter-search");
const category = document.getElementById("filter-category");
const confidence = document.getElementById("filter-confidence");
const order = document.getElementById("filter-order");
const changed = document.getElementById("filter-changed");
const queue = document.getElementById("filter-queue");
const clear = document.getElementById("filter-clear");

export class Filters {
  constructor(onChange) {
    this.onChange = onChange;
    this.columns = new ColumnFilter(order, () => this.#changed());
    confidence.append(...BANDS.map(([words], place) => h("option", { value: place }, words)));
    let timer = null;
    search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.#changed(), TYPING);
    });
    for (const select of [category, confidence, order]) select.addEventListener("change", () => this.#changed());
    queue.addEventListener("click", () => this.set({ next: !this.queue }));
    changed.addEventListener("click", () => {
      changed.setAttribute("aria-pressed", String(!this.onlyChanged));
      this.#changed();
    });
    clear.addEventListener("click", () => {
      this.set({});
      search.focus();
    });
    document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
  }

  get onlyChanged() {
    return changed.getAttribute("aria-pressed") === "true";
  }

  // Whether the list shows the documents to check next.
  get queue() {
    return queue.getAttribute("aria-pressed") === "true";
  }

  get active() {
    return this.queue || search.value.trim() !== "" || category.value !== "" || confidence.value !== "0" || this.onlyChanged || this.columns.active;
  }

  parameters() {
    if (this.queue) return { queue: 1 };
    const [, least, most] = BANDS[Number(confidence.value)];
    return {
      search: search.value.trim(),
      category: category.value,
      least,
      most,
      changed: this.onlyChanged ? 1 : 0,
      ...this.columns.parameters(),
    };
  }

  set({ words = "", of = "", moved = false, next = false }) {
    search.value = words;
    category.value = of;
    confidence.value = "0";
    this.columns.clear();
    changed.setAttribute("aria-pressed", String(moved));
    this.#changed(next);
  }

  show(state) {
    const options = [{ name: "", words: "All categories" }, ...state.categories.map(({ name, size }) => ({ name, words: `${name} (${count(size)})` }))];
    const chosen = category.value;
    reconcile(category, options, ({ name }) => name, ({ name }) => h("option", { value: name }), (option, { words }) => setText(option, words));
    if (category.value !== chosen) this.#changed();
    setText(changed, state.changes ? `Changed (${count(state.changes.moved)})` : "Changed");
    setAttribute(changed, "title", "Only documents whose label changed with the last fit");
  }

  // Any other filter ends the queue.
  #changed(next = false) {
    queue.setAttribute("aria-pressed", String(next));
    clear.hidden = !this.active;
    this.onChange();
  }
}
