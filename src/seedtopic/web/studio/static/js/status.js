// The state of the fit, the connection and the saved workspace, on one line of fixed height.

import { answersWords } from "./answers.js";
import { announce } from "./messages.js";
import { setAttribute, setText } from "./dom.js";
import { count, measuredShare, percent, plural, rightShare, seconds } from "./numbers.js";

const WAITING = "Waiting for a pause in typing";

const line = document.getElementById("status");
const bar = document.getElementById("status-bar");
const words = document.getElementById("status-words");
const right = document.getElementById("status-right");
const agreement = document.getElementById("status-agreement");
const moved = document.getElementById("status-moved");
const saved = document.getElementById("saved");

export function startStatus(store, { onMoved }) {
  let connection = { lost: false, refused: null };
  let announced = null;
  let began = 0;

  const show = () => {
    const { state } = store;
    if (!state) {
      if (connection.lost) say("lost", connection.refused ?? "The studio cannot be reached. Trying again.");
      return;
    }
    const { fit, changes, documents } = state;
    if (fit.status === "idle" || fit.status === "failed") began = performance.now();
    if (connection.lost) say("lost", lostWords(connection, store.outbox.length));
    else if (store.outbox.length) say("waiting", WAITING);
    else say(fit.status, fitWords(state, (performance.now() - began) / 1000));
    const share = fit.status === "running" && fit.total ? fit.done / fit.total : 0;
    bar.value = share;
    bar.classList.toggle("moving", fit.status === "running");
    setText(right, state.estimate ? estimateWords(state.estimate) : "");
    setAttribute(right, "title", state.estimate ? state.estimate.sentence : "");
    const known = state.quality.agreement;
    setText(agreement, known && known.accuracy !== null ? `agreement with ${known.column} ${percent(known.accuracy)}` : "");
    moved.hidden = !changes || connection.lost;
    if (changes) setText(moved, `${count(changes.moved)} moved`);
    if (changes) setAttribute(moved, "aria-label", `${count(changes.moved)} documents moved in the last fit: show them`);
    setText(document.getElementById("corpus"), corpusWords(documents));
    document.title = `${documents.name} · seedtopic studio`;
    showSaved(state, store.outbox.length);
    const settled = fit.status === "idle" && fit.revision >= 0 ? `${fit.revision}/${fit.on}` : announced;
    if (settled !== announced && changes) announce(`Labels are up to date. ${plural(changes.moved, "document")} moved.`);
    announced = settled;
  };

  moved.addEventListener("click", onMoved);
  store.subscribe(show);
  return {
    connectionChanged(now) {
      connection = now;
      show();
    },
  };
}

function say(status, text) {
  setAttribute(line, "data-status", status);
  setText(words, text);
  setAttribute(words, "title", text);
}

function lostWords({ refused }, waiting) {
  if (refused) return refused;
  if (!waiting) return "Connection lost. Trying again.";
  return `Connection lost. ${plural(waiting, "edit")} kept here until it returns. Trying again.`;
}

// One line about the fit; `elapsed` is the number of seconds since it was requested.
export function fitWords({ fit, revision }, elapsed) {
  if (fit.status === "failed") return fit.message ?? "The fit failed.";
  if (fit.status === "waiting") return fit.message ?? WAITING;
  if (fit.status === "running") {
    const step = fit.total > 1 ? `, step ${Math.min(fit.done + 1, fit.total)} of ${fit.total}` : "";
    const work = `${fit.stage || "fitting"}${step}`;
    if (fit.revision < revision) return `${sentence(work)} · ${seconds(elapsed)}`;
    const shown = `Preview after ${seconds(fit.seconds ?? 0)}`;
    return `${shown}${fit.on === "sample" ? " from a sample of the documents" : ""}, refining${step}…`;
  }
  if (fit.revision < 0) return fit.message ?? "Write two categories with a word each to get labels.";
  if (fit.message) return fit.message;
  if (fit.revision < revision) return "Labels are out of date";
  return `Labels are up to date · ${seconds(fit.seconds ?? 0)}`;
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const estimateWords = ({ accuracy, measured }) => (measured ? measuredShare(accuracy, measured) : `about ${rightShare(accuracy)}`);

function corpusWords({ name, total, without_text: empty, without_known_word: unknown }) {
  const without = [empty ? `${count(empty)} without a text` : "", unknown ? `${count(unknown)} without a known word` : ""];
  return [`${name} · ${plural(total, "document")}`, ...without.filter(Boolean)].join(", ");
}

function showSaved({ saved: safe, workspace, answers }, waiting) {
  const all = safe && !waiting && Boolean(workspace);
  setText(saved, all ? "Saved" : waiting ? "Saving…" : "Not saved");
  setAttribute(saved, "data-saved", all);
  setAttribute(saved, "title", `${savedWords(safe, workspace)} ${answersWords(answers)}`);
}

function savedWords(safe, workspace) {
  if (!workspace) return "There is no workspace: your seeds are lost when the studio ends. Start it with --workspace FILE.";
  if (!safe) return `${workspace} cannot be written: check the disk space and the permissions. The next edit tries again.`;
  return `Every edit is saved to ${workspace}.`;
}
