// What the last fit changed: which documents moved where, and the sizes of the categories before and after.

import { h } from "./dom.js";
import { count, percent, plural } from "./numbers.js";
import { badge, colourClass } from "./shapes.js";

const section = document.getElementById("changes");

export function startChanges(store, { onShow, onOpen }) {
  let drawn = null;
  store.subscribe((state) => {
    const version = JSON.stringify([state.changes, state.fit.revision, state.categories.map(({ name }) => name)]);
    if (version === drawn) return;
    drawn = version;
    section.replaceChildren(...(state.changes ? drawChanges(store, state, { onShow, onOpen }) : nothing(state)));
  });
}

function nothing({ fit }) {
  return [h("p.changes-empty", {}, fit.revision < 0
    ? "Changes are shown here after each fit."
    : "These are the first labels. Documents that move after your next edit are listed here.")];
}

function drawChanges(store, { changes, undo, fit, revision }, on) {
  const { moved, total, flows, sizes } = changes;
  const after = fit.revision === revision && undo ? ` after: ${undo}` : "";
  return [
    h("p.changes-lead", {}, h("strong", {}, `${count(moved)} of ${plural(total, "document")}`),
      ` moved (${percent(total ? moved / total : 0)})${after}`),
    h("div.changes-parts", {}, flowPart(store, flows, moved, on), sizePart(store, sizes)),
  ];
}

function flowPart(store, flows, moved, { onShow, onOpen }) {
  const most = Math.max(1, ...flows.map((flow) => flow.count));
  const rows = [...flows].sort((a, b) => b.count - a.count).map((flow) => {
    const bar = h("span.flow-fill");
    bar.classList.add(colourClass(store.position(flow.to)));
    bar.style.transform = `scaleX(${flow.count / most})`;
    const name = `${plural(flow.count, "document")} from ${flow.from ?? "no label"} to ${flow.to ?? "no label"}: show the documents that moved to it`;
    return h("li", {}, h("button.flow", { type: "button", "aria-label": name, onclick: () => onShow(flow.to ?? "") },
      badge(flow.from, store.position(flow.from)), h("span.arrow", { "aria-hidden": "true" }, "→"), badge(flow.to, store.position(flow.to)),
      h("span.flow-bar", {}, bar), h("span.number", {}, count(flow.count))),
    documentsOf(flow, onOpen));
  });
  const all = h("button.button", { type: "button", onclick: () => onShow("") }, `Show all ${count(moved)}`);
  return h("section", { "aria-labelledby": "flows-title" }, h("h3", { id: "flows-title" }, "Moved documents"),
    rows.length ? h("ul.flows", {}, ...rows) : h("p.quiet", {}, "Every document kept its label."), moved ? all : null);
}

// The first documents of a change by their names, each a link to it.
function documentsOf({ documents, count: all }, onOpen) {
  const more = all - documents.length;
  return h("p.flow-documents", {}, ...documents.map(({ id, name }) =>
    h("button.link-button", { type: "button", "aria-label": `Open document ${name}`, onclick: () => onOpen(id, true) }, name)),
    more > 0 ? h("span.quiet", {}, `and ${count(more)} more`) : null);
}

function sizePart(store, sizes) {
  const most = Math.max(1, ...sizes.flatMap(({ before, after }) => [before, after]));
  const bar = (kind, size, category) => {
    const fill = h(`span.size-fill.${kind}`);
    fill.classList.add(colourClass(store.position(category)));
    fill.style.transform = `scaleX(${size / most})`;
    return h("span.size-bar", {}, fill);
  };
  const rows = sizes.map(({ category, before, after }) => {
    const difference = after - before;
    const sign = difference > 0 ? `+${count(difference)}` : difference < 0 ? `−${count(-difference)}` : "±0";
    return h("tr", {}, h("th", { scope: "row" }, badge(category, store.position(category))),
      h("td.size-bars", { "aria-hidden": "true" }, bar("before", before, category), bar("after", after, category)),
      h("td.number", {}, count(before)), h("td.number", {}, count(after)), h("td.number.difference", {}, sign));
  });
  return h("section", { "aria-labelledby": "sizes-title" }, h("h3", { id: "sizes-title" }, "Sizes before and after"),
    h("table.sizes", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Category"), h("td", {}),
        ...["Before", "After", "Change"].map((name) => h("th.number", { scope: "col" }, name)))),
      h("tbody", {}, ...rows)));
}
