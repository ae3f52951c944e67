// Draws the overview above the magnified window: the whole chain, however long, a pixel at a time.

import { DECISION, ERROR, FINDING, INTERRUPT, SHAPES, VIOLATION, phaseFill } from "./strip_look.js";

const ROW = 12;
const BRANCH = 6;
const ABOVE = 8;
const DIM = 0.22;
const NONE = 255;

/** Return how tall the overview of a chain with so many rows is. */
export function overviewHeight(rows) {
  return ABOVE + ROW + (rows - 1) * BRANCH + 10;
}

/** Draw the overview; what does not depend on the position is drawn once and kept in `layout`. */
export function paintOverview(pen, chain, layout, colors, at, base) {
  const still = `${colors.text} ${colors.background} ${at.filtered}`;
  if (layout.still !== still) {
    layout.picture = picture(pen, chain, layout, colors, at.hit);
    layout.still = still;
  }
  pen.drawImage(layout.picture, 0, 0, layout.width, layout.overview);
  const { left, right } = layout.whole;
  const { first, last } = layout.window(at.pivot);
  const bottom = ABOVE + ROW + (chain.rows - 1) * BRANCH;
  pen.strokeStyle = colors.text;
  pen.lineWidth = 1;
  const from = left(first);
  pen.strokeRect(from + 0.5, 6.5, Math.max(2, right(last - 1) - from - 1), bottom - 5);
  if (base !== null) {
    pen.fillStyle = colors.text;
    pen.fillRect((left(base) + right(base)) / 2 - 0.75, 5, 1.5, bottom - 2);
  }
  pen.fillStyle = colors.primary;
  pen.fillRect((left(at.position) + right(at.position)) / 2 - 1.25, 3, 2.5, bottom + 2);
}

function picture(pen, chain, layout, colors, hit) {
  const ratio = window.devicePixelRatio || 1;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(layout.width * ratio);
  canvas.height = Math.round(layout.overview * ratio);
  const own = canvas.getContext("2d");
  own.setTransform(ratio, 0, 0, ratio, 0, 0);
  const bins = binned(chain, layout, hit);
  bins.phases.forEach((column, row) => paintRow(own, pen, colors, column, bins.kept[row], row));
  paintTicks(own, colors, bins.worst, bins.marked);
  for (const gap of layout.whole.breaks) {
    own.fillStyle = colors.text;
    own.globalAlpha = 0.6;
    for (let y = ABOVE; y < ABOVE + ROW; y += 4) own.fillRect((gap.left + gap.right) / 2 - 0.5, y, 1, 2);
    own.globalAlpha = 1;
  }
  return canvas;
}

/** Return for each pixel and row the phase that most checkpoints there have, and the worst mark. */
export function binned(chain, layout, hit) {
  const wide = Math.ceil(layout.width);
  const phases = [];
  const kept = [];
  const counts = [];
  const worst = new Uint8Array(wide).fill(NONE);
  const marked = new Uint8Array(wide);
  const size = chain.phases.length;
  for (let row = 0; row < chain.rows; row += 1) {
    phases.push(new Uint8Array(wide).fill(NONE));
    kept.push(new Uint8Array(wide));
    counts.push(new Uint32Array(wide * size));
  }
  for (let index = 0; index < chain.count; index += 1) {
    const row = chain.row[index];
    const own = !hit || hit[index] ? 1 : 0;
    const from = Math.min(wide - 1, Math.floor(layout.whole.left(index)));
    const until = Math.max(from + 1, Math.min(wide, Math.floor(layout.whole.right(index))));
    for (let x = from; x < until; x += 1) {
      // A pixel in which something is kept shows what is kept there, and nothing else.
      if (own < kept[row][x]) continue;
      if (own > kept[row][x]) {
        kept[row][x] = 1;
        counts[row].fill(0, x * size, (x + 1) * size);
        phases[row][x] = NONE;
      }
      const seen = (counts[row][x * size + chain.phase[index]] += 1);
      const now = phases[row][x];
      if (now === NONE || seen > counts[row][x * size + now]) phases[row][x] = chain.phase[index];
    }
    const place = SHAPES.findIndex((mark) => chain.mark[index] & mark);
    if (place < 0 || own < marked[from]) continue;
    if (own > marked[from] || place < worst[from]) worst[from] = place;
    marked[from] = own;
  }
  return { phases, kept, worst, marked };
}

/** One rectangle for neighbours that look the same: a pattern needs width to be seen. */
function paintRow(own, pen, colors, column, kept, row) {
  const top = ABOVE + (row ? ROW + (row - 1) * BRANCH + 1 : 0);
  const tall = row ? BRANCH - 2 : ROW;
  let start = 0;
  for (let x = 1; x <= column.length; x += 1) {
    if (x < column.length && column[x] === column[start] && kept[x] === kept[start]) continue;
    if (column[start] !== NONE) {
      own.globalAlpha = kept[start] ? 1 : DIM;
      own.fillStyle = phaseFill(pen, colors, column[start]);
      own.fillRect(start, top, x - start, tall);
    }
    start = x;
  }
  own.globalAlpha = 1;
}

function paintTicks(own, colors, worst, marked) {
  worst.forEach((place, x) => {
    if (place === NONE) return;
    const mark = SHAPES[place];
    const calm = mark === INTERRUPT || mark === FINDING;
    own.globalAlpha = marked[x] ? 1 : DIM;
    own.fillStyle = calm ? colors.orange : mark === DECISION ? colors.green : colors.red;
    const tall = mark === VIOLATION || mark === ERROR ? 6 : 3;
    own.fillRect(x - 0.25, ABOVE - 1 - tall, 1.75, tall);
  });
  own.globalAlpha = 1;
}
