// Applies an edit to the state, so that it is on screen before the studio has responded.
// Counts and labels come with the response.

const EFFECTS = {
  add_category: (categories, { name }) =>
    categories.some((category) => category.name === name)
      ? categories
      : [...categories, { name, size: 0, reached: 0, words: [], warnings: [] }],
  rename_category: (categories, { category, name }) =>
    changed(categories, category, (one) => ({ ...one, name })),
  remove_category: (categories, { category }) => categories.filter((one) => one.name !== category),
  // Its words come with the response.
  merge_category: (categories, { category }) => categories.filter((one) => one.name !== category),
  move_category: (categories, { category, position }) => {
    const moved = categories.find((one) => one.name === category);
    const others = categories.filter((one) => one !== moved);
    return moved ? [...others.slice(0, position), moved, ...others.slice(position)] : categories;
  },
  add_words: (categories, { category, words, excluded, new: made }) =>
    changed(made ? EFFECTS.add_category(categories, { name: category }) : categories, category, (one) => ({ ...one, words: [...one.words, ...fresh(one, words, excluded)] })),
  remove_word: (categories, { category, word }) =>
    changed(categories, category, (one) => ({ ...one, words: without(one, word) })),
  set_weight: (categories, { category, word, weight }) =>
    changed(categories, category, (one) => ({ ...one, words: withWord(one, word, { weight }) })),
  set_excluded: (categories, { category, word, excluded }) =>
    changed(categories, category, (one) => ({ ...one, words: withWord(one, word, excluded ? { excluded, weight: 1 } : { excluded }) })),
  move_word: (categories, { word, from, to, new: made }) => {
    const moved = categories.find((one) => one.name === from)?.words.find((one) => one.word === word);
    if (!moved) return categories;
    const all = made ? EFFECTS.add_category(categories, { name: to }) : categories;
    const left = changed(all, from, (one) => ({ ...one, words: without(one, word) }));
    return changed(left, to, (one) => ({ ...one, words: has(one, word) ? one.words : [...one.words, moved] }));
  },
};

export function applied(state, edit) {
  const effect = EFFECTS[edit.action];
  return effect ? { ...state, categories: effect(state.categories, edit) } : state;
}

const changed = (categories, name, change) => categories.map((one) => (one.name === name ? change(one) : one));

const has = (category, word) => category.words.some((one) => one.word === word);

const without = (category, word) => category.words.filter((one) => one.word !== word);

const withWord = (category, word, change) =>
  category.words.map((one) => (one.word === word ? { ...one, ...change } : one));

const fresh = (category, words, excluded) =>
  words
    .filter((word) => !has(category, word))
    .map((word) => ({ word, weight: 1, excluded: Boolean(excluded), documents: null, warnings: [] }));

// An edit in words, for messages.
export function described(edit) {
  const { action, name, category, word, words, from, to } = edit;
  switch (action) {
    case "add_category": return `add the category ${name}`;
    case "rename_category": return `rename ${category} to ${name}`;
    case "merge_category": return `merge ${category} into ${edit.into}`;
    case "remove_category": return `remove the category ${category}`;
    case "move_category": return `move the category ${category}`;
    case "add_words": return `add ${words.map((one) => `‘${one}’`).join(", ")} to ${category}`;
    case "remove_word": return `remove ‘${word}’ from ${category}`;
    case "set_weight": return `change the weight of ‘${word}’ in ${category}`;
    case "set_excluded": return `change whether ‘${word}’ is excluded from ${category}`;
    case "move_word": return `move ‘${word}’ from ${from} to ${to}`;
    case "confirm": return "confirm a label";
    case "confirm_all": return "confirm these documents";
    case "replace_seeds": return "open the seeds file";
    default: return action;
  }
}
