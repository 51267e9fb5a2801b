// The panel of categories: cards, the field for a new category, and the warnings about the seeds as a whole.

import { makeCard, updateCard } from "./card.js";
import { reconcile } from "./dom.js";
import { categories, parted } from "./parse_words.js";
import { askForSuggestions, stopAsking } from "./suggestions.js";
import { makeWarnings, updateWarnings } from "./warnings.js";

const cards = document.getElementById("cards");
const form = document.getElementById("new-category");
const field = document.getElementById("new-category-name");
const seedWarnings = document.getElementById("seed-warnings");

export function startWords(store) {
  let drawn = null;
  let suggestedFor = null;
  const warnings = makeWarnings();
  seedWarnings.append(warnings.mark, warnings.list);

  store.subscribe((state) => {
    if (state.categories !== drawn) {
      drawn = state.categories;
      reconcile(cards, state.categories, ({ name }) => name, () => makeCard(store),
        (card, category) => updateCard(store, card, category, state.documents.total));
      document.getElementById("welcome").hidden = state.categories.length > 0;
    }
    seedWarnings.hidden = state.warnings.length === 0;
    updateWarnings(warnings, [...new Set(state.warnings)], ([first, ...more]) => (more.length ? `${first} (and ${more.length} more)` : first));
    // Labels that have settled, or none because there are too few words or they do not occur.
    const labelled = state.fit.revision >= 0;
    const still = state.fit.status === "idle" || (state.fit.status === "failed" && !labelled);
    const settled = still && (!labelled || state.fit.revision === state.revision);
    const version = labelled ? `${state.fit.revision}/${state.fit.on}` : `none/${state.revision}`;
    if (!settled) stopAsking();
    else if (version !== suggestedFor) askForSuggestions([...cards.children]);
    suggestedFor = settled ? version : null;
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = field.value;
    field.value = "";
    store.ready.then(() => addCategories(store, typed));
  });
  field.addEventListener("paste", (event) => {
    const pasted = event.clipboardData.getData("text");
    if (!/[\r\n]/.test(pasted.trim())) return;
    event.preventDefault();
    store.ready.then(() => addCategories(store, pasted));
  });
}

function addCategories(store, typed) {
  const written = categories(typed);
  for (const { name, words } of written) {
    if (!store.category(name)) store.edit({ action: "add_category", name });
    const { wanted, against } = parted(words);
    if (wanted.length) store.edit({ action: "add_words", category: name, words: wanted, excluded: false });
    if (against.length) store.edit({ action: "add_words", category: name, words: against, excluded: true });
  }
  const last = written.at(-1)?.name;
  const card = [...cards.children].find((one) => one.dataset.category === last);
  if (written.length === 1 && !written[0].words) card?.parts.field.focus();
  card?.scrollIntoView({ block: "nearest" });
}
