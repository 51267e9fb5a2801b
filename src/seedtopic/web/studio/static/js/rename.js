// Renaming a category in its card: the name becomes an input field until Enter, Escape or a click elsewhere.

import { h, setText } from "./dom.js";

const cardOf = (category) => [...document.querySelectorAll(".card")].find((card) => card.dataset.category === category);

export function renameCategory(store, old) {
  const card = cardOf(old);
  const { name } = card.parts;
  const field = h("input.rename", { type: "text", "aria-label": `New name of ${old}`, spellcheck: "false" });
  field.value = old;
  const finish = (keep) => {
    field.removeEventListener("blur", onBlur);
    const wanted = field.value.trim();
    const changes = keep && wanted !== "" && wanted !== old;
    setText(name, old);
    if (changes) store.edit({ action: "rename_category", category: old, name: wanted });
    return changes ? wanted : old;
  };
  const onBlur = () => finish(true);
  field.addEventListener("blur", onBlur);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.stopPropagation();
    event.preventDefault(); // or Enter would press the button that gets the focus
    cardOf(finish(event.key === "Enter")).parts.menu.focus();
  });
  name.replaceChildren(field);
  card.scrollIntoView({ block: "nearest" });
  field.select();
}
