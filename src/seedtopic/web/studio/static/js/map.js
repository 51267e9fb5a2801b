// The map of documents: similar documents are close together; categories have colours, shapes and names.

import { Unreachable, get } from "./api.js";
import { Camera } from "./camera.js";
import { h, reconcile, setAttribute, setText } from "./dom.js";
import { watchGestures } from "./gestures.js";
import { clumps, drawMap, nearest, readColours } from "./map_drawing.js";
import { count, percent, plural } from "./numbers.js";
import { setShape, shape } from "./shapes.js";
import { onThemeChange } from "./theme_switch.js";
import { hideTip, showTip } from "./tip.js";

const section = document.getElementById("map");
const canvas = document.getElementById("map-canvas");
const legend = document.getElementById("legend");
const message = document.getElementById("map-note");

const NEAR = 14; // pixels around a point that count as a hit
const STEP = 60; // pixels an arrow key pans
const REST = 150; // milliseconds without movement before the text of a point is loaded

export class DocumentMap {
  constructor(store, { onOpen }) {
    this.store = store;
    this.onOpen = onOpen;
    this.camera = new Camera();
    this.data = null;
    this.shown = null;
    this.open = null;
    this.wanted = null;
    this.have = null;
    this.hovered = -1;
    watchGestures(canvas, {
      onPan: (dx, dy) => this.#change(() => this.camera.pan(dx, dy)),
      onZoom: (x, y, by) => this.#change(() => this.camera.zoomAt(x, y, by)),
      onPick: (x, y) => this.#pick(x, y, NEAR, false),
      onHover: (x, y) => this.#hover(x, y),
      onLeave: () => this.#unhover(),
    });
    canvas.addEventListener("keydown", (event) => this.#onKey(event));
    for (const type of ["focus", "blur"]) canvas.addEventListener(type, () => this.#soon());
    for (const [id, by] of [["map-in", 1.6], ["map-out", 1 / 1.6]]) {
      document.getElementById(id).addEventListener("click", () => this.#zoom(by));
    }
    document.getElementById("map-whole").addEventListener("click", () => this.#change(() => this.camera.whole()));
    new ResizeObserver(() => this.#resize()).observe(canvas.parentElement);
    onThemeChange(() => this.#newColours());
    store.subscribe((state) => this.#stateChanged(state));
  }

  #stateChanged(state) {
    const { fit } = state;
    this.wanted = fit.revision < 0 ? null : this.store.labelsVersion;
    this.#showLegend(state);
    if (!this.data) setText(message, fit.revision < 0 ? "The map appears with the first labels." : "Drawing the map…");
    this.load();
  }

  // Loaded only while the map is visible.
  async load() {
    if (section.hidden || this.wanted === this.have || this.wanted === null) return;
    const version = this.wanted;
    this.have = version;
    let data;
    try {
      data = await get("/api/map");
    } catch (problem) {
      this.have = null;
      if (!(problem instanceof Unreachable)) setText(message, problem.message);
      return;
    }
    if (this.wanted !== version && this.data) return;
    this.data = data;
    this.camera.setBounds(data.x, data.y);
    setText(message, data.ids.length ? "" : "There are no documents to draw.");
    const total = this.store.state.documents.total;
    const part = data.ids.length < total ? `, of ${count(total)}` : "";
    setAttribute(canvas, "aria-label", `Map of ${plural(data.ids.length, "document")}${part}`);
    this.#newColours();
  }

  #newColours() {
    if (!this.data) return;
    const names = this.store.state.categories.map(({ name }) => name);
    this.names = clumps(this.data, names, this.camera.bounds);
    this.colours = readColours([...new Set([-1, ...names.keys(), ...this.data.labels])]);
    this.#soon();
  }

  #showLegend({ categories }) {
    reconcile(legend, categories, ({ name }) => name, ({ name }) => {
      const button = h("button.legend-item", { type: "button", "aria-pressed": "false" }, shape(0), h("span"), h("span.quiet"));
      button.addEventListener("click", () => this.#showOnly(this.store.position(name)));
      return h("li", {}, button);
    }, (item, { name, size }) => {
      const [drawn, words, number] = item.firstChild.children;
      const position = this.store.position(name);
      setShape(drawn, position);
      setText(words, name);
      setText(number, count(size));
      setAttribute(item.firstChild, "aria-pressed", String(this.shown === position));
    });
  }

  #showOnly(position) {
    this.shown = this.shown === position ? null : position;
    this.#showLegend(this.store.state);
    this.#soon();
  }

  setOpen(id) {
    this.open = id;
    this.#soon();
  }

  #resize() {
    const box = canvas.parentElement.getBoundingClientRect();
    if (!box.width) return;
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
    this.camera.resize(box.width, box.height);
    this.#draw();
  }

  #soon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.#draw();
    });
  }

  #draw() {
    if (!this.data || section.hidden || !this.colours) return;
    const { colours, shown, open, names } = this;
    drawMap(canvas, this.data, this.camera, { colours, shown, open, names, cross: canvas.matches(":focus-visible") });
  }

  #change(action) {
    this.#unhover();
    action();
    this.#soon();
  }

  #zoom(by) {
    this.#change(() => this.camera.zoomAt(this.camera.width / 2, this.camera.height / 2, by));
  }

  #pick(x, y, reach, takeFocus) {
    const place = this.data ? nearest(this.data, this.camera, x, y, reach, this.shown) : -1;
    if (place < 0) return;
    this.#unhover();
    this.onOpen(this.data.ids[place], takeFocus);
  }

  #hover(x, y) {
    const place = this.data ? nearest(this.data, this.camera, x, y, NEAR, this.shown) : -1;
    if (place === this.hovered) return;
    this.#unhover();
    this.hovered = place;
    canvas.classList.toggle("on-point", place >= 0);
    if (place < 0) return;
    const name = this.store.state.categories[this.data.labels[place]]?.name ?? "no label";
    const head = `${name}, ${percent(this.data.probability[place])}`;
    const box = canvas.getBoundingClientRect();
    const spot = { left: box.left + x, top: box.top + y - 6, bottom: box.top + y + 6, width: 0 };
    showTip(head, spot);
    this.resting = setTimeout(() => this.#showBeginning(place, head, spot), REST);
  }

  async #showBeginning(place, head, spot) {
    try {
      const { name, text } = await get(`/api/documents/${this.data.ids[place]}`);
      if (this.hovered === place) showTip(`${head} · ${name}\n${text.slice(0, 140)}${text.length > 140 ? "…" : ""}`, spot);
    } catch {
      // Without the document, the tip shows only the label.
    }
  }

  #unhover() {
    clearTimeout(this.resting);
    if (this.hovered < 0) return;
    this.hovered = -1;
    canvas.classList.remove("on-point");
    hideTip();
  }

  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pan = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }[event.key];
    if (pan) this.#change(() => this.camera.pan(...pan));
    else if (event.key === "+" || event.key === "=") this.#zoom(1.6);
    else if (event.key === "-") this.#zoom(1 / 1.6);
    else if (event.key === "0") this.#change(() => this.camera.whole());
    else if (event.key === "Enter" || event.key === " ") this.#pick(this.camera.width / 2, this.camera.height / 2, Infinity, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
