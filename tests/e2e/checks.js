// Checks of a page as it stands: names of controls, references, contrast. Gives a list of sentences.
() => {
  const found = [];
  const seen = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !one.closest("[inert]");
  const called = (one) => `<${one.tagName.toLowerCase()} id="${one.id}" class="${one.className.baseVal ?? one.className}">`;

  // Every control has a name; every reference leads somewhere; no identifier is used twice.
  const named = (one) =>
    one.getAttribute("aria-label") ||
    (one.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join("").trim() ||
    [...(one.labels ?? [])].map((label) => label.textContent).join("").trim() ||
    (one.matches("input, select") ? "" : one.textContent.trim()) ||
    one.title;
  for (const one of document.querySelectorAll("button, a[href], input, select, summary, canvas, [tabindex], [role=listbox], dialog[open]")) {
    if (seen(one) && !one.matches(".hidden") && !named(one)) found.push(`${called(one)} has no name`);
  }
  for (const attribute of ["aria-labelledby", "aria-controls", "aria-describedby", "aria-activedescendant", "for"]) {
    for (const one of document.querySelectorAll(`[${attribute}]`)) {
      for (const id of one.getAttribute(attribute).split(" ")) {
        if (!document.getElementById(id)) found.push(`${called(one)}: ${attribute} leads to #${id}, which is not there`);
      }
    }
  }
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) found.push(`#${id} is there twice`);
  for (const image of document.querySelectorAll("img")) if (!image.hasAttribute("alt")) found.push(`${called(image)} has no alt`);
  if (document.querySelectorAll("h1").length !== 1) found.push("there is not one h1");
  if (!document.documentElement.lang) found.push("the language is not said");

  // Contrast of every text in sight: 4.5 to 1, or 3 to 1 where it is large.
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const ground = (one) => {
    const layers = [];
    for (let at = one; at; at = at.parentElement) {
      const layer = rgba(getComputedStyle(at).backgroundColor);
      if (layer[3] > 0) layers.push(layer);
      if (layer[3] === 1) break;
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ratio = (one, two) => {
    const [high, low] = [light(one), light(two)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  let least = Infinity;
  let measured = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const one = walker.currentNode.parentElement;
    if (!text || !seen(one) || one.closest("script, noscript, option, .hidden, :disabled, [aria-disabled=true]")) continue;
    const style = getComputedStyle(one);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const below = ground(one);
    const contrast = ratio(over(rgba(style.color), below), below);
    measured += 1;
    least = Math.min(least, contrast);
    if (contrast < (large ? 3 : 4.5)) found.push(`“${text.slice(0, 30)}” in ${called(one)}: contrast ${contrast.toFixed(2)}`);
  }
  // Shapes and the edges of fields tell something, too: 3 to 1.
  for (const one of document.querySelectorAll("svg.shape, input[type=text], input[type=search], select")) {
    if (!seen(one)) continue;
    const style = getComputedStyle(one);
    const colour = one.matches("svg") ? style.fill : style.borderTopColor;
    const contrast = ratio(rgba(colour), ground(one.parentElement));
    measured += 1;
    if (contrast < 3) found.push(`${called(one)}: contrast ${contrast.toFixed(2)}`);
  }
  return { found, least, measured };
}
