// What the pointer does in the drawing: a click or drag steps, hovering tells.

import { breakAt, indexAt, nestBox } from "./strip_paint.js";
import { gapLines, tipLines } from "./strip_words.js";

/** Let the pointer step `panel` and show its tip. */
export function pointAt(panel) {
  const { canvas } = panel;
  const inside = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  let dragging = false;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const [x, y] = inside(event);
    const { chain, layout } = panel;
    const index = indexAt(chain, layout, panel.pivot, x, y);
    if (index !== null && y >= layout.overview && nestedAt(panel, index, x, y)) {
      panel.nested.toggle(index);
      return;
    }
    const gap = breakAt(layout, panel.pivot, x, y);
    if (gap) {
      panel.tip.hidden = true;
      panel.unfoldGap(gap.index);
      return;
    }
    canvas.setPointerCapture(event.pointerId);
    dragging = true;
    // While dragging in the window, the window must not slide away under the pointer.
    if (y >= layout.overview) panel.grabbed = panel.position;
    panel.goIf(index);
  });
  const release = () => {
    dragging = false;
    panel.grabbed = null;
    panel.draw();
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = inside(event);
    const index = indexAt(panel.chain, panel.layout, panel.pivot, x, y);
    if (dragging) panel.goIf(index);
    const gap = breakAt(panel.layout, panel.pivot, x, y);
    showTip(panel, event, gap ? gapLines(panel.chain, gap) : index === null ? null : tipLines(panel.chain, index));
  });
  canvas.addEventListener("pointerleave", () => (panel.tip.hidden = true));
}

function nestedAt(panel, index, x, y) {
  const box = nestBox(panel.chain, panel.layout, panel.layout.window(panel.pivot), index);
  return box && x >= box[0] && x < box[0] + box[2] && y >= box[1] && y < box[1] + box[3];
}

function showTip(panel, event, lines) {
  const { tip } = panel;
  tip.hidden = lines === null;
  if (!lines) return;
  tip.replaceChildren(...lines);
  const box = panel.root.getBoundingClientRect();
  const x = event.clientX - box.left + 14;
  const most = Math.max(4, box.width - tip.offsetWidth - 4);
  tip.style.left = `${Math.min(x, most)}px`;
  tip.style.top = `${event.clientY - box.top + 18}px`;
}
