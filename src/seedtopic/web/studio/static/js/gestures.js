// Mouse, pen and touch on the map: drag to pan, wheel or pinch to zoom, tap to select.

const TAP = 5; // pixels: a shorter move is a tap

export function watchGestures(canvas, { onPan, onZoom, onPick, onHover, onLeave }) {
  const pointers = new Map();
  let travelled = 0;

  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const spread = () => {
    const [[x1, y1], [x2, y2]] = [...pointers.values()];
    return { distance: Math.hypot(x1 - x2, y1 - y2), middle: [(x1 + x2) / 2, (y1 + y2) / 2] };
  };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (!pointers.size) travelled = 0;
    pointers.set(event.pointerId, place(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      onHover(...now);
      return;
    }
    const wide = pointers.size === 2 ? spread() : null;
    pointers.set(event.pointerId, now);
    travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
    if (wide) {
      const { distance, middle } = spread();
      onZoom(...middle, distance / Math.max(1, wide.distance));
      onPan(middle[0] - wide.middle[0], middle[1] - wide.middle[1]);
    } else if (travelled > TAP) onPan(now[0] - before[0], now[1] - before[1]);
  });
  const end = (event) => {
    const last = pointers.size === 1 && pointers.has(event.pointerId);
    pointers.delete(event.pointerId);
    if (event.type === "pointerup" && last && travelled <= TAP) onPick(...place(event));
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", onLeave);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    onZoom(...place(event), Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)));
  }, { passive: false });
}
