// Draws the points of the map on a canvas. Each category's point is drawn once and then stamped.

import { h } from "./dom.js";
import { colourClass, pathOf } from "./shapes.js";

const SIZE = 9; // pixels of a point at zoom 1
const FAINT = 0.12;
const LINE = 18; // pixels a name takes
const GRID = 14; // cells across the map, to find the densest part of a category

// Colours come from the style sheet, so that light and dark are defined in one place.
export function readColours(positions) {
  const probe = h("span");
  document.body.append(probe);
  const read = (name) => {
    probe.className = name;
    return getComputedStyle(probe).color;
  };
  const colours = {
    of: new Map(positions.map((position) => [position, read(colourClass(position))])),
    text: read("colour-text"),
    ground: read("colour-ground"),
  };
  probe.remove();
  return colours;
}

function stamp(position, colours, size, ratio) {
  const side = Math.ceil((size + 2) * ratio);
  const canvas = new OffscreenCanvas(side, side);
  const pen = canvas.getContext("2d");
  pen.scale(side / 18, side / 18);
  pen.translate(1, 1);
  const path = new Path2D(pathOf(position));
  pen.lineWidth = 1.2;
  pen.strokeStyle = colours.ground;
  pen.fillStyle = colours.of.get(position);
  pen.fill(path, "evenodd");
  pen.stroke(path);
  return canvas;
}

// `data` is { x, y, labels }, `look` is { colours, shown, open, names, cross }.
export function drawMap(canvas, data, camera, look) {
  const ratio = devicePixelRatio || 1;
  const { width, height } = camera;
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  const size = Math.min(20, SIZE * camera.zoom ** 0.35);
  const stamps = new Map([...look.colours.of.keys()].map((at) => [at, stamp(at, look.colours, size, ratio)]));
  const side = size + 2;
  const { factor, x0, y0 } = camera.toScreen();
  const draw = (only) => {
    for (let i = 0; i < data.x.length; i += 1) {
      const label = data.labels[i];
      if ((look.shown === null || look.shown === label) !== only) continue;
      const x = x0 + data.x[i] * factor;
      const y = y0 + data.y[i] * factor;
      if (x < -side || y < -side || x > width + side || y > height + side) continue;
      pen.drawImage(stamps.get(label), x - side / 2, y - side / 2, side, side);
    }
  };
  pen.globalAlpha = FAINT;
  if (look.shown !== null) draw(false);
  pen.globalAlpha = 0.9;
  draw(true);
  pen.globalAlpha = 1;
  drawOpen(pen, data, look, { factor, x0, y0 }, size);
  drawNames(pen, look, { factor, x0, y0 }, width);
  if (look.cross) drawCross(pen, width / 2, height / 2, look.colours.text);
}

function drawOpen(pen, data, look, { factor, x0, y0 }, size) {
  const place = look.open === null ? -1 : data.ids.indexOf(look.open);
  if (place < 0) return;
  pen.beginPath();
  pen.arc(x0 + data.x[place] * factor, y0 + data.y[place] * factor, size, 0, 2 * Math.PI);
  pen.lineWidth = 2.5;
  pen.strokeStyle = look.colours.text;
  pen.stroke();
}

// The name of each category, among its documents.
function drawNames(pen, look, { factor, x0, y0 }, canvasWidth) {
  pen.font = "600 13px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = 5;
  pen.strokeStyle = look.colours.ground;
  pen.fillStyle = look.colours.text;
  const written = [];
  for (const { name, position, x, y } of look.names) {
    if (look.shown !== null && look.shown !== position) continue;
    const width = pen.measureText(name).width;
    const spot = freeSpot(written, wholly(x0 + x * factor, width, canvasWidth), y0 + y * factor, width);
    pen.strokeText(name, spot.x, spot.y);
    pen.fillText(name, spot.x, spot.y);
  }
}

// A name at the edge moves inwards until it can be read; a name out of sight stays out of sight.
function wholly(x, width, canvasWidth) {
  if (x < 0 || x > canvasWidth) return x;
  return Math.min(Math.max(x, width / 2 + 6), canvasWidth - width / 2 - 6);
}

// Finds the nearest place below where a name overlaps no other name.
function freeSpot(written, x, y, width) {
  const spot = { x, y, width };
  const overlaps = (other) => Math.abs(other.y - spot.y) < LINE && Math.abs(other.x - x) < (other.width + width) / 2;
  while (written.some(overlaps)) spot.y += LINE / 2;
  written.push(spot);
  return spot;
}

function drawCross(pen, x, y, colour) {
  pen.beginPath();
  pen.moveTo(x - 9, y);
  pen.lineTo(x + 9, y);
  pen.moveTo(x, y - 9);
  pen.lineTo(x, y + 9);
  pen.lineWidth = 2;
  pen.strokeStyle = colour;
  pen.stroke();
}

// Where the name of each category is written: in its densest part, found on a grid over the map.
export function clumps(data, names, { left, top, width, height }) {
  const cells = names.map(() => new Map());
  data.labels.forEach((label, i) => {
    if (label < 0 || label >= names.length) return;
    const column = Math.floor(((data.x[i] - left) / width) * GRID);
    const row = Math.floor(((data.y[i] - top) / height) * GRID);
    const key = column * (GRID + 1) + row;
    const cell = cells[label].get(key) ?? { count: 0, x: 0, y: 0 };
    cells[label].set(key, { count: cell.count + 1, x: cell.x + data.x[i], y: cell.y + data.y[i] });
  });
  return names.flatMap((name, position) => {
    const [densest] = [...cells[position].values()].sort((one, other) => other.count - one.count);
    return densest ? [{ name, position, x: densest.x / densest.count, y: densest.y / densest.count }] : [];
  });
}

// The document nearest to a place on the screen, within `reach` pixels; -1 where there is none.
export function nearest(data, camera, x, y, reach, shown) {
  const { factor, x0, y0 } = camera.toScreen();
  let best = reach * reach;
  let found = -1;
  for (let i = 0; i < data.x.length; i += 1) {
    if (shown !== null && shown !== data.labels[i]) continue;
    const distance = (x0 + data.x[i] * factor - x) ** 2 + (y0 + data.y[i] * factor - y) ** 2;
    if (distance < best) {
      best = distance;
      found = i;
    }
  }
  return found;
}
