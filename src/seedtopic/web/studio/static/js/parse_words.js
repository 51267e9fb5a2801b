// Parses typed and pasted words. Words are separated by commas, semicolons, tabs and line ends, so that a
// phrase may contain spaces; a minus before a word excludes it from the category.

export function words(typed) {
  const found = new Set(typed.split(/[,;\t\r\n]+/).map((word) => word.trim().toLowerCase().replace(/\s+/g, " ")));
  found.delete("");
  return [...found];
}

export function parted(typed) {
  const all = words(typed);
  const against = all.filter((word) => word.startsWith("-")).map((word) => word.slice(1).trim());
  return {
    wanted: all.filter((word) => !word.startsWith("-")),
    against: against.filter((word) => word !== ""),
  };
}

// One "sport: game, team" per line; a line without a colon is the name of a category.
export function categories(typed) {
  return typed
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const colon = line.indexOf(":");
      if (colon < 0) return { name: line, words: "" };
      return { name: line.slice(0, colon).trim(), words: line.slice(colon + 1) };
    })
    .filter(({ name }) => name !== "");
}
