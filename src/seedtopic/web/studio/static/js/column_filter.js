// Filters and sorts the list by the other columns of the documents' file.

import { allColumns } from "./columns.js";
import { h } from "./dom.js";
import { count } from "./numbers.js";

const TYPING = 200; // milliseconds without a key before a search starts
const ORDERS = { // what to call both directions
  number: ["smallest first", "largest first"],
  date: ["oldest first", "newest first"],
  text: ["A to Z", "Z to A"],
};

const panel = document.getElementById("documents");
const area = document.getElementById("column-filter");
const column = document.getElementById("filter-column");
const value = document.getElementById("filter-value");
const contains = document.getElementById("filter-contains");

export class ColumnFilter {
  // `order` is the list of orders, to which both directions of every column are added.
  constructor(order, onChange) {
    this.order = order;
    this.columns = [];
    let timer = null;
    column.addEventListener("change", () => {
      this.#showValues();
      onChange();
    });
    value.addEventListener("change", onChange);
    contains.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(onChange, TYPING);
    });
    this.#load().finally(() => panel.classList.remove("waiting"));
  }

  async #load() {
    try {
      this.columns = await allColumns();
    } catch {
      return; // a lost connection is shown elsewhere; without columns there is nothing to filter by
    }
    area.hidden = this.columns.length === 0;
    if (area.hidden) return;
    column.append(h("option", { value: "" }, "Any column"), ...this.columns.map(({ name }, place) => h("option", { value: place }, name)));
    for (const [place, { name, kind }] of this.columns.entries()) {
      this.order.append(...ORDERS[kind].map((words, down) => h("option", { value: `column ${place} ${down}` }, `${name}: ${words}`)));
    }
  }

  get #chosen() {
    return column.value === "" ? undefined : this.columns[Number(column.value)];
  }

  get #value() {
    return this.#chosen?.values ? value.value : contains.value.trim();
  }

  get active() {
    return this.#chosen !== undefined && this.#value !== "";
  }

  clear() {
    column.value = "";
    this.#showValues();
  }

  parameters() {
    const [, place, down] = this.order.value.split(" ");
    const sorted = this.order.value.startsWith("column ");
    return {
      order: sorted ? "given" : this.order.value,
      ...(sorted ? { sort: this.columns[Number(place)].name, descending: down } : {}),
      ...(this.active ? { column: this.#chosen.name, value: this.#value } : {}),
    };
  }

  #showValues() {
    const chosen = this.#chosen;
    value.hidden = !chosen?.values;
    contains.hidden = !chosen || Boolean(chosen.values);
    contains.value = "";
    value.replaceChildren(h("option", { value: "" }, "Any value"),
      ...(chosen?.values ?? []).map((one) => h("option", { value: one.value }, `${one.value} (${count(one.documents)})`)));
  }
}
