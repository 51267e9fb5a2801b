// A field that hides rows or documents without the words that are written into it.
const FEWEST_SEARCHED = 8;

function addSearch(tools, what, items) {
  if (items.length < FEWEST_SEARCHED) return;
  const field = Object.assign(document.createElement("input"), { type: "search", placeholder: `Search ${what}` });
  field.setAttribute("aria-label", `Search ${what}`);
  const count = document.createElement("span");
  count.setAttribute("role", "status");
  const texts = items.map((item) => item.textContent.toLowerCase());
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    items.forEach((item, place) => {
      item.hidden = !words.every((word) => texts[place].includes(word));
      if (!item.hidden) shown += 1;
    });
    count.textContent = words.length ? `${shown} of ${items.length} ${what}` : "";
  });
  tools.append(field, count);
}
