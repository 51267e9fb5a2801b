// The button that switches the colours: as the system, light, dark.

const NAMES = { system: "as the system", light: "light", dark: "dark" };
const ORDER = Object.keys(NAMES);

const listeners = new Set();

export function onThemeChange(listener) {
  listeners.add(listener);
}

function current() {
  return document.documentElement.dataset.theme ?? "system";
}

function choose(name) {
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  try {
    localStorage.setItem("seedtopic.theme", name);
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

export function startThemeSwitch(button) {
  const show = () => {
    const words = `Colours: ${NAMES[current()]}`;
    button.setAttribute("aria-label", words);
    button.title = words;
  };
  button.addEventListener("click", () => {
    choose(ORDER[(ORDER.indexOf(current()) + 1) % ORDER.length]);
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const listener of listeners) listener();
  });
  show();
}
