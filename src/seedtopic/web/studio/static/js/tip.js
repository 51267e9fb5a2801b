// A small tooltip beside an element with data-tip that is pointed at or focused.

const GAP = 8;
const element = document.getElementById("tip");
let owner = null;

export function showTip(text, box) {
  element.textContent = text;
  element.hidden = false;
  const { width, height } = element.getBoundingClientRect();
  const left = Math.min(Math.max(GAP, box.left + box.width / 2 - width / 2), innerWidth - width - GAP);
  const below = box.bottom + GAP;
  const top = below + height > innerHeight - GAP ? Math.max(GAP, box.top - height - GAP) : below;
  element.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

export function hideTip() {
  owner?.removeAttribute("aria-describedby");
  owner = null;
  element.hidden = true;
}

function point(event) {
  const target = event.target.closest?.("[data-tip]");
  if (target === owner) return;
  hideTip();
  if (!target || (event.type === "focusin" && !target.matches(":focus-visible"))) return;
  owner = target;
  target.setAttribute("aria-describedby", element.id);
  showTip(target.dataset.tip, target.getBoundingClientRect());
}

export function startTips() {
  document.addEventListener("pointerover", point);
  document.addEventListener("focusin", point);
  document.addEventListener("focusout", hideTip);
  document.addEventListener("pointerdown", hideTip);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideTip();
  });
  document.addEventListener("scroll", hideTip, { capture: true, passive: true });
}
