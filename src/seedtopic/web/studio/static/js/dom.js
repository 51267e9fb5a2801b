// Creates elements from data: texts become text nodes, so that no document can become markup.

const SVG = "http://www.w3.org/2000/svg";

// h("button.chip", { type: "button", onclick: f }, "text", child) makes <button class="chip">.
export function h(kind, properties = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  return dressed(document.createElement(tag), classes, properties, children);
}

export function svg(tag, properties = {}, ...children) {
  return dressed(document.createElementNS(SVG, tag), [], properties, children);
}

function dressed(element, classes, properties, children) {
  if (classes.length) element.classList.add(...classes);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Sets a text only if it differs, so that nothing is painted or read aloud again without need.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

// Makes the children of `parent` match `items`, one element per key. Elements are kept, and moved only
// when necessary, so that a person who types in one can go on typing.
export function reconcile(parent, items, keyOf, create, update) {
  const kept = parent.keyed ?? new Map();
  const now = new Map();
  let place = parent.firstChild;
  for (const item of items) {
    const key = keyOf(item);
    const element = kept.get(key) ?? create(item);
    now.set(key, element);
    update(element, item);
    if (element === place) place = place.nextSibling;
    else parent.insertBefore(element, place);
  }
  for (const [key, element] of kept) if (!now.has(key)) element.remove();
  parent.keyed = now;
}
