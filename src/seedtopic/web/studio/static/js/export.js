// Everything that can be exported: as a download, or written to the folder given on the command line.

import { answersWords } from "./answers.js";
import { Refused, file, post } from "./api.js";
import { h, setText } from "./dom.js";

const FILES = [
  ["Seeds", "seeds", "toml", "seeds.toml", "the categories and their words"],
  ["Labels, CSV", "labels", "csv", "labels.csv", "one row per document"],
  ["Labels, Excel", "labels", "xlsx", "labels.xlsx", "a spreadsheet"],
  ["Labels, JSON lines", "labels", "jsonl", "labels.jsonl", "one line per document"],
  ["Labels, Parquet", "labels", "parquet", "labels.parquet", "for data frames"],
  ["Model", "model", "zip", "model.zip", "labels new documents"],
  ["Report", "report", "html", "report.html", "one HTML page to share"],
];

export function startExport(store) {
  const dialog = document.getElementById("export");
  const result = h("p.export-result", { role: "status" });
  const close = h("button.icon-button", { type: "button", "aria-label": "Close", onclick: () => dialog.close() }, "×");
  dialog.append(
    h("header.overlay-head", {}, h("h2", { id: "export-title" }, "Save and export"), close),
    h("p.quiet.export-note"),
    h("ul.export-list", {}, ...FILES.map((one) => row(one, result))),
    opener(store, dialog),
    result,
  );
  store.subscribe(({ workspace, answers }) => {
    const seeds = workspace
      ? `Every edit is saved to ${workspace}. Open the documents again to continue.`
      : "Your seeds are kept only while the studio runs.";
    setText(dialog.querySelector(".export-note"), `${seeds} ${answersWords(answers)}`);
  });
  document.getElementById("export-open").addEventListener("click", () => {
    setText(result, "");
    dialog.showModal();
  });
}

function row([title, what, format, name, use], result) {
  const busy = async (event, words, action) => {
    const button = event.currentTarget;
    button.disabled = true;
    setText(result, words);
    result.classList.remove("problem");
    try {
      setText(result, await action());
    } catch (problem) {
      result.classList.add("problem");
      setText(result, problem.message);
    } finally {
      button.disabled = false;
      button.focus();
    }
  };
  const download = (event) => busy(event, `Making ${name}…`, async () => {
    const { blob, name: given } = await file("/api/export", { what, format });
    hand(blob, given ?? name);
    return `Downloaded ${given ?? name}.`;
  });
  const save = (event) => busy(event, `Writing ${name}…`, async () => {
    const { path } = await saved({ what, name });
    return path ? `Written to ${path}.` : `${name} was not replaced.`;
  });
  return h("li.export-row", {},
    h("p", {}, h("strong", {}, title), h("span.quiet", {}, use)),
    h("button.button", { type: "button", "aria-label": `Download ${name}`, "data-download": name, onclick: download }, "Download"),
    h("button.button", { type: "button", "aria-label": `Save ${name} to the folder`, "data-save": name, onclick: save }, "Save to folder"));
}

// A file that exists is replaced only if the person says so.
async function saved(wish) {
  try {
    return await post("/api/save", wish);
  } catch (problem) {
    if (!(problem instanceof Refused) || problem.status !== 409) throw problem;
    if (!confirm(`${wish.name} exists in the folder. Replace it?`)) return {};
    return post("/api/save", { ...wish, replace: true });
  }
}

function hand(blob, name) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

// Opens a seeds file, which replaces the seeds on the page; undo restores them.
function opener(store, dialog) {
  const choose = h("input.hidden", { type: "file", accept: ".toml", id: "open-seeds", tabindex: "-1", "aria-hidden": "true" });
  choose.addEventListener("change", async () => {
    const [chosen] = choose.files;
    if (!chosen) return;
    store.edit({ action: "replace_seeds", toml: await chosen.text() });
    choose.value = "";
    dialog.close();
  });
  const button = h("button.button", { type: "button", onclick: () => choose.click() }, "Open a seeds file");
  return h("div.export-row.export-open", {}, h("p", {}, h("strong", {}, "Seeds from a file"), h("span.quiet", {}, "replaces these seeds; can be undone")), choose, button);
}
