// Sets the chosen colours before the first paint; without a choice, those of the system.
try {
  const chosen = localStorage.getItem("seedtopic.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage, the system decides.
}
