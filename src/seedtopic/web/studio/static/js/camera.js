// The visible part of the map: converts document positions to pixels and back.

const CLOSEST = 60;
const MARGIN = 28; // pixels

export class Camera {
  constructor() {
    this.width = this.height = 1;
    this.bounds = { left: 0, top: 0, width: 1, height: 1 };
    this.whole();
  }

  setBounds(xs, ys) {
    const [left, right] = ends(xs);
    const [top, bottom] = ends(ys);
    this.bounds = { left, top, width: right - left || 1, height: bottom - top || 1 };
  }

  resize(width, height) {
    Object.assign(this, { width, height });
  }

  whole() {
    Object.assign(this, { zoom: 1, panX: 0, panY: 0 });
  }

  // Pixels per unit at zoom 1: the whole map with a margin.
  get #unit() {
    const { width, height } = this.bounds;
    return Math.max(1e-9, Math.min((this.width - 2 * MARGIN) / width, (this.height - 2 * MARGIN) / height));
  }

  toScreen() {
    const factor = this.#unit * this.zoom;
    const { left, top, width, height } = this.bounds;
    const x0 = this.width / 2 + this.panX - (left + width / 2) * factor;
    const y0 = this.height / 2 + this.panY - (top + height / 2) * factor;
    return { factor, x0, y0 };
  }

  pan(dx, dy) {
    this.panX += dx;
    this.panY += dy;
  }

  // The point under (x, y) stays where it is.
  zoomAt(x, y, by) {
    const zoom = Math.min(CLOSEST, Math.max(1, this.zoom * by));
    const ratio = zoom / this.zoom;
    const fromMiddle = [x - this.width / 2, y - this.height / 2];
    this.panX = fromMiddle[0] - (fromMiddle[0] - this.panX) * ratio;
    this.panY = fromMiddle[1] - (fromMiddle[1] - this.panY) * ratio;
    this.zoom = zoom;
    if (zoom === 1) this.panX = this.panY = 0;
  }
}

function ends(values) {
  let least = Infinity;
  let most = -Infinity;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return least <= most ? [least, most] : [0, 1];
}
