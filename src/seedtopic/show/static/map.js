// The map shows the text of the point under the mouse, under a finger, or reached with the arrow keys.
{
  const map = document.querySelector("svg.map");
  const { names, points } = JSON.parse(document.getElementById("map-points").textContent);
  const tip = Object.assign(document.createElement("div"), { className: "tip", hidden: true });
  tip.setAttribute("role", "status");
  map.after(tip);
  const ring = map.querySelector(".ring");
  let current = -1;

  function show(place) {
    if (place === current) return;
    current = place;
    tip.hidden = place < 0;
    ring.setAttribute("visibility", place < 0 ? "hidden" : "visible");
    if (place < 0) return;
    const [x, y, label, probability, id, text] = points[place];
    ring.setAttribute("cx", x);
    ring.setAttribute("cy", y);
    const head = Object.assign(document.createElement("b"), { textContent: `${names[label]} ${probability.toFixed(2)}` });
    const foot = Object.assign(document.createElement("span"), { textContent: id });
    tip.replaceChildren(head, Object.assign(document.createElement("p"), { textContent: text, dir: "auto" }), foot);
    const { x: left, y: top } = new DOMPoint(x, y).matrixTransform(map.getScreenCTM());
    const frame = map.parentElement.getBoundingClientRect();
    const most = Math.max(0, frame.width - tip.offsetWidth);
    tip.style.left = `${Math.min(Math.max(0, left - frame.left - tip.offsetWidth / 2), most)}px`;
    tip.style.top = `${top - frame.top + 14}px`;
  }

  // The point next to a place on the screen, within a distance in pixels; -1 if there is none.
  function nearest({ clientX, clientY }, within) {
    const matrix = map.getScreenCTM();
    const at = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    let [found, best] = [-1, (within / matrix.a) ** 2];
    points.forEach(([x, y], place) => {
      const distance = (x - at.x) ** 2 + (y - at.y) ** 2;
      if (distance <= best) [found, best] = [place, distance];
    });
    return found;
  }

  // The next point in a direction: near ones that lie straight ahead come first.
  function ahead([right, down]) {
    const [fromX, fromY] = points[current];
    let [found, best] = [current, Infinity];
    points.forEach(([x, y], place) => {
      const forward = (x - fromX) * right + (y - fromY) * down;
      const aside = Math.abs((x - fromX) * down) + Math.abs((y - fromY) * right);
      if (forward > 0 && forward + 3 * aside < best) [found, best] = [place, forward + 3 * aside];
    });
    return found;
  }

  const DIRECTIONS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  if (points.length) {
    map.setAttribute("tabindex", "0");
    map.setAttribute("role", "application");
    map.setAttribute("aria-label", "Map of the documents: arrow keys go from one document to the next");
    map.addEventListener("focus", () => {
      if (map.matches(":focus-visible")) show(Math.max(current, 0));
    });
    map.addEventListener("blur", () => show(-1));
    map.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") show(nearest(event, 12));
    });
    map.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") show(-1);
    });
    map.addEventListener("click", (event) => show(nearest(event, 24)));
    map.addEventListener("keydown", (event) => {
      if (event.key === "Escape") show(-1);
      if (!(event.key in DIRECTIONS)) return;
      event.preventDefault();
      show(current < 0 ? 0 : ahead(DIRECTIONS[event.key]));
    });
  }
}
