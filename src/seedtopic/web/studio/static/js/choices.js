// The answers to a document: its category, several, none of these, or nothing for now.

import { h } from "./dom.js";
import { said } from "./checking.js";
import { shape } from "./shapes.js";

function words({ label, confirmed }, several) {
  if (several) return "Choose all its categories, then go on to the next document.";
  if (!confirmed) return "Is the label right? Choose the right category, and the model learns from it.";
  if (!confirmed.length) return "Confirmed as none of these. The model gives it no label.";
  if (confirmed.length > 1) return `Confirmed as ${said(confirmed)}. The model learns from the first.`;
  return confirmed[0] === label ? "Confirmed. The model learns from it." : `Corrected to ${confirmed[0]}. The next fit learns from it.`;
}

// `progress` says how many documents are checked.
export function drawChoices(found, categories, checking, progress) {
  const several = checking.severalOf === found.id;
  const button = (name, key, pressed, run, ...more) =>
    h("button.choice", { type: "button", "aria-pressed": pressed === null ? null : String(pressed), "data-stays": `choice ${name}`, onclick: run },
      key ? h("kbd", { "aria-hidden": "true" }, key) : null, ...more, name);
  const { confirmed } = found;
  const chosen = categories.map(({ name }, place) => button(name, place < 9 ? String(place + 1) : "", Boolean(confirmed?.includes(name)),
    () => (several ? checking.toggle(found, name) : checking.choose(found, [name])), shape(place)));
  const others = [
    button("None of these", "0", confirmed?.length === 0, () => checking.choose(found, [])),
    button("Several", "+", several, () => checking.switchSeveral(found)),
    button("Skip", "s", null, () => checking.skip(found)),
  ];
  return h("div.choices", { role: "group", "aria-label": "Confirm or correct the label" },
    h("p.choices-head", {}, h("span.quiet", {}, words(found, several)), h("span.quiet.number", {}, progress)),
    h("div.choice-row", {}, ...chosen), h("div.choice-row.choice-others", {}, ...others));
}
