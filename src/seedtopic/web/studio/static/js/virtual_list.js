// A list of any length that contains only the visible rows. Browsers cannot draw an element of more than
// about 17 million pixels; a longer list is scrolled in proportion.

const ROW = 64; // pixels, as --row in documents.css
const LONGEST = 16_000_000;
const BESIDE = 6; // extra rows above and below

export class VirtualList {
  // `draw(element, index)` fills a row, `make()` makes an empty one, `onSight(first, last)` reports the visible rows.
  constructor(viewport, runway, { make, draw, onSight }) {
    Object.assign(this, { viewport, runway, make, draw, onSight });
    this.length = 0;
    this.rows = new Map();
    this.spare = [];
    viewport.addEventListener("scroll", () => this.soon(), { passive: true });
    new ResizeObserver(() => this.soon()).observe(viewport);
  }

  get scale() {
    return Math.max(1, (this.length * ROW) / LONGEST);
  }

  setLength(length) {
    this.length = length;
    this.runway.style.height = `${Math.min(length * ROW, LONGEST)}px`;
    this.soon();
  }

  soon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.#drawSight();
    });
  }

  sight() {
    const top = this.viewport.scrollTop * this.scale;
    const first = Math.max(0, Math.floor(top / ROW) - BESIDE);
    const last = Math.min(this.length - 1, Math.ceil((top + this.viewport.clientHeight) / ROW) + BESIDE);
    return [first, last];
  }

  #drawSight() {
    const { scrollTop } = this.viewport;
    const [first, last] = this.sight();
    for (const [index, row] of this.rows) {
      if (index >= first && index <= last) continue;
      this.rows.delete(index);
      row.hidden = true;
      this.spare.push(row);
    }
    for (let index = first; index <= last; index += 1) {
      const row = this.rows.get(index) ?? this.#place(index);
      row.style.transform = `translateY(${scrollTop + index * ROW - scrollTop * this.scale}px)`;
      this.draw(row, index);
    }
    if (last >= first) this.onSight(first, last);
  }

  #place(index) {
    let row = this.spare.pop();
    if (!row) {
      row = this.make();
      this.runway.append(row);
    }
    row.hidden = false;
    this.rows.set(index, row);
    return row;
  }

  bringIntoSight(index) {
    const { viewport } = this;
    const top = (index * ROW) / this.scale;
    const height = viewport.clientHeight;
    if (top < viewport.scrollTop) viewport.scrollTop = top;
    else if (top + ROW > viewport.scrollTop + height) viewport.scrollTop = top + ROW - height;
    this.soon();
  }

  rowsInSight() {
    return Math.max(1, Math.floor(this.viewport.clientHeight / ROW));
  }
}
