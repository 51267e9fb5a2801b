// The views: documents, map, changes, quality. On a phone the categories are a view, too.

import { setAttribute } from "./dom.js";

const narrow = matchMedia("(max-width: 760px)");
const tabs = [...document.querySelectorAll(".view-tab")];

export class Views {
  constructor(onShow) {
    this.onShow = onShow;
    this.current = "documents";
    for (const tab of tabs) tab.addEventListener("click", () => this.show(tab.dataset.view));
    document.getElementById("views").addEventListener("keydown", (event) => this.#onKey(event));
    narrow.addEventListener("change", () => this.show(this.current));
    this.show(narrow.matches ? "words" : "documents");
  }

  show(name) {
    this.current = name === "words" && !narrow.matches ? "documents" : name;
    document.body.dataset.view = this.current;
    for (const tab of tabs) {
      const chosen = tab.dataset.view === this.current;
      setAttribute(tab, "aria-selected", String(chosen));
      setAttribute(tab, "tabindex", chosen ? 0 : -1);
      const shown = chosen || (tab.dataset.view === "words" && !narrow.matches);
      document.getElementById(tab.dataset.view).hidden = !shown;
    }
    this.onShow(this.current);
  }

  #onKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const shown = tabs.filter((tab) => tab.offsetParent !== null);
    const place = shown.findIndex((tab) => tab.dataset.view === this.current);
    const next = shown[(place + step + shown.length) % shown.length];
    this.show(next.dataset.view);
    next.focus();
  }
}
