// A category has a colour and a shape, so that no one depends on colour alone. There are eight of each; the
// shapes shift with every round of colours, so that 64 categories differ.

import { h, svg } from "./dom.js";

const PATHS = [
  "M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12z",
  "M3 3h10v10H3z",
  "M8 2l6.500 12h-13z",
  "M8 1l6 7-6 7-6-7z",
  "M6 2h4v4h4v4h-4v4H6v-4H2V6h4z",
  "M8 1l2 4.700 5 .500-3.800 3.300 1.200 5-4.400-2.700-4.400 2.700 1.200-5L1 6.200l5-.500z",
  "M8 14L1.500 2h13z",
  "M4.500 2h7L15 8l-3.500 6h-7L1 8z",
];
const NONE = "M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12zm0 3a3 3 0 1 1 0 6a3 3 0 1 1 0-6z";
const COLOURS = 8;

// A position of -1 means no category.
export const colourClass = (position) => (position < 0 ? "colour-none" : `colour-${position % COLOURS}`);

export function pathOf(position) {
  if (position < 0) return NONE;
  return PATHS[(position + Math.floor(position / COLOURS)) % PATHS.length];
}

export function shape(position) {
  const drawn = svg("svg", { viewBox: "0 0 16 16", class: `shape ${colourClass(position)}`, "aria-hidden": "true" });
  drawn.append(svg("path", { d: pathOf(position), "fill-rule": "evenodd" }));
  return drawn;
}

// A shape and a name side by side.
export function badge(name, position) {
  return h("span.badge", {}, shape(position), h("span.badge-name", {}, name ?? "no label"));
}

export function setShape(drawn, position) {
  drawn.setAttribute("class", `shape ${colourClass(position)}`);
  drawn.firstChild.setAttribute("d", pathOf(position));
}
