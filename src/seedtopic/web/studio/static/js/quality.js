// How good the labels are: the estimate without labels, an audit, and the agreement with a column of known labels.

import { post } from "./api.js";
import { AuditPanel } from "./audit_panel.js";
import { allColumns } from "./columns.js";
import { h, setText } from "./dom.js";
import { note } from "./messages.js";
import { count, percent, plural, rightShare } from "./numbers.js";
import { badge } from "./shapes.js";

const MOST_LABELS = 501; // different values, with the empty one; as in web/studio/quality.py

const lead = document.getElementById("quality-lead");
const chosen = document.getElementById("agreement-column");
const body = document.getElementById("agreement-body");

export function startQuality(store, { onOpen }) {
  const audit = new AuditPanel(store, { onOpen });
  let drawn = null;
  chosen.addEventListener("change", async () => {
    try {
      await post("/api/quality", { action: "compare", column: chosen.value === "" ? null : chosen.value });
    } catch (problem) {
      note(problem.message, { problem: true });
    }
  });
  fillColumns(store);
  store.subscribe((state) => {
    setText(lead, state.estimate
      ? state.estimate.measured ? state.estimate.sentence
        : `About ${rightShare(state.estimate.accuracy)}, as far as this can be told without labels. Check a sample to measure it.`
      : "There are no labels yet.");
    audit.show(state);
    const { compared, agreement } = state.quality;
    if (document.activeElement !== chosen) chosen.value = compared ?? "";
    const version = JSON.stringify([agreement, state.categories.map(({ name }) => name)]);
    if (version === drawn) return;
    drawn = version;
    body.replaceChildren(...(agreement ? drawAgreement(store, agreement) : []));
  });
  return audit;
}

async function fillColumns(store) {
  await store.ready;
  const columns = await allColumns().catch(() => []);
  const fit = columns.filter(({ different }) => different <= MOST_LABELS);
  chosen.replaceChildren(h("option", { value: "" }, fit.length ? "None" : "The file has no such column"),
    ...fit.map(({ name }) => h("option", { value: name }, name)));
  chosen.disabled = fit.length === 0;
  chosen.value = store.state.quality.compared ?? "";
}

function drawAgreement(store, { column, documents, accuracy, macro_f1: macro, categories, others, other_values: values }) {
  if (!documents) return [h("p.quiet", {}, `No document has a value in ${column} that could be compared.`)];
  const head = h("p.measure", {}, h("strong", {}, percent(accuracy)),
    ` of ${plural(documents, "document")} agree with column ${column}. Macro-F1 ${macro.toFixed(3)}.`);
  const rows = categories.map(({ category, precision, recall, f1, support }) =>
    h("tr", {}, h("th", { scope: "row" }, badge(category, store.position(category))),
      ...[precision, recall, f1].map((share) => h("td.number", {}, percent(share))), h("td.number", {}, count(support))));
  const named = values.join(", ");
  return [
    head,
    h("p.quiet", {}, "Documents without a value, and those that you have confirmed, are left out."),
    others ? h("p.quiet", {}, `${plural(others, "document")} have a value that is not one of the categories and count as errors: ${named}.`) : null,
    h("table.measures", {},
      h("thead", {}, h("tr", {}, ...["Category", "Precision", "Recall", "F1", "Documents"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...rows)),
  ].filter(Boolean);
}
