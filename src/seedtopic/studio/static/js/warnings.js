// Warnings take one line of a fixed height and open on demand, so that nothing jumps when they come and go.

import { h, reconcile, setText } from "./dom.js";

export const makeWarnings = () => h("details.warnings", {}, h("summary"), h("ul"));

export function updateWarnings(details, warnings) {
  details.classList.toggle("none", warnings.length === 0);
  if (!warnings.length) details.open = false;
  const [summary, list] = details.children;
  const more = warnings.length > 1 ? ` (and ${warnings.length - 1} more)` : "";
  setText(summary, warnings.length ? `${warnings[0]}${more}` : "");
  reconcile(list, warnings, (text) => text, (text) => h("li", {}, text), () => {});
}
