// The result of an audit: accuracy, precision of the categories and their true shares, with 95 % intervals.

import { h } from "./dom.js";
import { count, percent, plural } from "./numbers.js";
import { badge } from "./shapes.js";

export function drawResult(store, audit, { onOpen, onUse, onAgain, onBack }) {
  const { result, documents, used, changed } = audit;
  const checked = documents.filter(({ answered }) => answered);
  const wrong = checked.filter(({ right }) => right === false);
  const button = (words, run, kind = "button") => h(`button.${kind}`, { type: "button", onclick: run }, words);
  const actions = [
    used ? null : button("Use the answers as confirmed labels", onUse),
    button("Draw a new sample", onAgain),
    used ? null : button("Look at the answers again", onBack, "link-button"),
  ];
  if (!result) return [h("p.quiet", {}, "There is no result before 10 documents are checked."), h("p.audit-actions", {}, ...actions.slice(1))];
  return [
    h("p.measure", {}, h("strong", {}, `${percent(result.accuracy.value)} of the labels are right`),
      ` (95 % interval: ${range(result.accuracy)}). ${count(checked.length - wrong.length)} of ${plural(checked.length, "checked document")} have the right label; ${count(result.documents)} documents have a label that nobody has confirmed.`),
    changed ? h("p.quiet", {}, "The labels have changed since the sample was drawn. The result is about the labels of then: draw a new sample to measure the present ones.") : null,
    drawTable(store, result.categories),
    h("p.audit-actions", {}, ...actions),
    h("p.quiet", {}, used
      ? "The answers are confirmed labels now, and the model has learned from them. These documents can no longer tell how good it is: draw a new sample for that."
      : "The model has not learned from the answers, so the result is fair. If you use them as confirmed labels, or draw a new sample, the model learns from them, and these documents can no longer tell how good it is."),
    wrong.length ? drawWrong(store, wrong, onOpen) : null,
  ].filter(Boolean);
}

const range = ({ low, high }) => `${percent(low)} to ${percent(high)}`;

const shortRange = ({ low, high }) => `${Math.round(100 * low)}–${Math.round(100 * high)} %`;

function drawTable(store, categories) {
  const rows = categories.filter(({ category, share }) => category !== null || share.high > 0).map(({ category, checked, labelled, precision, share }) =>
    h("tr", {}, h("th", { scope: "row" }, category === null ? "none of these" : badge(category, store.position(category))),
      h("td.number", {}, category === null ? "" : percent(labelled)),
      h("td.number", {}, category === null ? "" : count(checked)),
      h("td", {}, category === null || precision.value === null ? h("span.quiet", {}, category === null ? "" : "not known") : estimate(precision)),
      h("td", {}, estimate(share))));
  return h("table.measures", {},
    h("thead", {}, h("tr", {}, ...["Category", "Of the labels", "Checked", "Labels that are right", "True share"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, ...rows));
}

// A number, its interval, and the interval drawn on a line from 0 to 100 %.
function estimate(share) {
  const bar = h("span.interval-range");
  bar.style.left = `${100 * share.low}%`;
  bar.style.width = `${100 * (share.high - share.low)}%`;
  const dot = h("span.interval-value");
  dot.style.left = `${100 * share.value}%`;
  return h("span.estimate", {}, h("span.estimate-value", {}, percent(share.value)), h("span.quiet", {}, shortRange(share)),
    h("span.interval", { "aria-hidden": "true" }, bar, dot));
}

function drawWrong(store, wrong, onOpen) {
  const rows = wrong.map(({ id, name, label, answer }) => h("li", {},
    h("button.link-button", { type: "button", "aria-label": `Open document ${name}`, onclick: () => onOpen(id, true) }, name),
    badge(label, store.position(label)), h("span.quiet", {}, "should be"),
    answer === null ? h("span", {}, "none of these") : badge(answer, store.position(answer))));
  return h("details.mistakes", {}, h("summary", {}, `${plural(wrong.length, "wrong label")}`), h("ul", {}, ...rows));
}
