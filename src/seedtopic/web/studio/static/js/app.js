// Connects the parts of the page.

import { startAnswers } from "./answers.js";
import { startChanges } from "./changes.js";
import { Checking } from "./checking.js";
import { startConfirmAll } from "./confirm_all.js";
import { Connection } from "./connection.js";
import { OpenDocument } from "./document.js";
import { documentKeys } from "./document_keys.js";
import { Documents } from "./documents.js";
import { startExport } from "./export.js";
import { startHelp } from "./help.js";
import { startHistory } from "./history.js";
import { startKeys } from "./keys.js";
import { DocumentMap } from "./map.js";
import { note } from "./messages.js";
import { startPopovers } from "./popover.js";
import { startQuality } from "./quality.js";
import { startStatus } from "./status.js";
import { Store } from "./store.js";
import { startThemeSwitch } from "./theme_switch.js";
import { startTips } from "./tip.js";
import { Views } from "./views.js";
import { startWords } from "./words.js";

const store = new Store({
  onRefused: (sentence) => note(sentence, { problem: true }),
  onLost: (problem) => connection.dropped(problem),
});

const checking = new Checking(store, {
  onDone: (id, words) => documents.next(id, words),
  onChange: () => opened.redraw(),
});
const opened = new OpenDocument(store, checking, {
  onShow: (id) => {
    documents.setOpen(id);
    map.setOpen(id);
  },
  onClose: () => {
    documents.setOpen(null);
    map.setOpen(null);
    if (views.current === "documents") documents.focus();
    else document.getElementById(`tab-${views.current}`).focus();
  },
  onStep: (by) => documents.step(by),
  progress: () => documents.progress(),
});
const documents = new Documents(store, {
  onOpen: (id, takeFocus, words) => opened.show(id, takeFocus, words),
});
const map = new DocumentMap(store, { onOpen: (id, takeFocus) => opened.show(id, takeFocus) });
const views = new Views(() => map.load());

const showMoved = (category) => {
  views.show("documents");
  documents.filters.set({ of: category, moved: true });
  documents.focus();
};

startWords(store);
startChanges(store, { onShow: showMoved, onOpen: (id, takeFocus) => opened.show(id, takeFocus) });
const audit = startQuality(store, { onOpen: (id, takeFocus) => opened.show(id, takeFocus) });
startExport(store);
startAnswers(store);
startThemeSwitch(document.getElementById("theme"));
startTips();
startPopovers();
const run = startHistory(store);
const status = startStatus(store, { onMoved: () => views.show("changes") });
const help = startHelp();

startConfirmAll(store, documents);
const documentKey = documentKeys({ opened, documents, checking, categories: () => store.state.categories });

startKeys({
  undo: () => run("undo"),
  redo: () => run("redo"),
  help,
  search: () => {
    views.show("documents");
    document.getElementById("filter-search").focus();
  },
  newCategory: () => {
    views.show("words");
    document.getElementById("new-category-name").focus();
  },
  escape: () => opened.close(),
  documentKey: (event) => audit.takesKey(event) || documentKey(event),
});

addEventListener("beforeunload", (event) => {
  if (store.outbox.length) event.preventDefault();
});

const connection = new Connection(store, (now) => status.connectionChanged(now));
connection.open();
