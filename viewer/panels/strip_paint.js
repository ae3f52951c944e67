// Draws the strip: overview of the whole chain above, magnified window below.

import {
  DECISION,
  ERROR,
  GAP,
  INTERRUPT,
  FINDING,
  SHAPES,
  STATELESS,
  VIOLATION,
  drawMark,
  phaseColor,
  phaseFill,
} from "./strip_look.js";
import { magnified } from "./strip_model.js";

const OVERVIEW_ROW = 12;
const OVERVIEW_BRANCH = 6;
const MARKS_HEIGHT = 11;
const CARD = { kind: "card", height: 44, gap: 6, most: 210, least: 78 };
const NUMBER = { kind: "number", height: 28, gap: 3, most: 78, least: 24 };
const BAR = { kind: "bar", height: 30, gap: 1, most: 24, least: 0 };
// Branches of a long chain are seldom in sight: their rows are lower.
const BRANCH_BAR = 14;

/**
 * Return how the strip is laid out at `width`: what a cell looks like, where rows stand, and how
 * tall the drawing is. It depends on the chain, not on the position, so stepping never resizes.
 */
export function layoutOf(chain, width) {
  const long = chain.count > 160;
  const shown = long ? 160 : chain.count;
  const look = [CARD, NUMBER, BAR].find((style) => width / shown >= style.least);
  const overview = long ? 8 + OVERVIEW_ROW + (chain.rows - 1) * OVERVIEW_BRANCH + 10 : 0;
  const pitch = look.height + MARKS_HEIGHT + 2;
  const branch = look === BAR ? BRANCH_BAR + MARKS_HEIGHT : pitch;
  return {
    width,
    look,
    overview,
    cell: Math.min(look.most, width / shown),
    rowTop: (row) => overview + MARKS_HEIGHT + (row ? pitch + (row - 1) * branch : 0),
    rowHeight: (row) => (row && look === BAR ? BRANCH_BAR : look.height),
    height: overview + pitch + branch * (chain.rows - 1) + 3,
    window: (position) => magnified(chain.count, position),
  };
}

/** Return the index at `x, y` of the drawing, or null. */
export function indexAt(chain, layout, position, x, y) {
  if (y < layout.overview) {
    return Math.max(0, Math.min(chain.count - 1, Math.floor((x / layout.width) * chain.count)));
  }
  const [first, last] = layout.window(position);
  const index = first + Math.floor(x / layout.cell);
  return index >= first && index < last ? index : null;
}

/** Draw everything; `at` is `{position, base, pivot}`, base null for the parent. */
export function paint(pen, chain, layout, colors, at) {
  pen.clearRect(0, 0, layout.width, layout.height);
  const base = at.base ?? chain.parent[at.position];
  if (layout.overview) paintOverview(pen, chain, layout, colors, at, base);
  const [first, last] = layout.window(at.pivot);
  const left = (index) => (index - first) * layout.cell;
  paintJoins(pen, chain, layout, colors, first, last);
  for (let index = first; index < last; index += 1) {
    paintCell(pen, chain, layout, colors, index, left(index));
  }
  if (base !== null && base >= first && base < last) {
    paintFrame(pen, chain, layout, colors, base, left(base), at.base === null);
  }
  if (at.position >= first && at.position < last) {
    paintFrame(pen, chain, layout, colors, at.position, left(at.position));
  }
}

function paintOverview(pen, chain, layout, colors, at, base) {
  const scale = layout.width / chain.count;
  const top = (row) => 8 + (row ? OVERVIEW_ROW + (row - 1) * OVERVIEW_BRANCH + 1 : 0);
  const tall = (row) => (row ? OVERVIEW_BRANCH - 2 : OVERVIEW_ROW);
  // Neighbours of one phase and row are one rectangle: a pattern needs width to be seen.
  let start = 0;
  for (let index = 1; index <= chain.count; index += 1) {
    const same =
      index < chain.count &&
      chain.phase[index] === chain.phase[start] &&
      chain.row[index] === chain.row[start];
    if (same) continue;
    pen.fillStyle = phaseFill(pen, colors, chain.phase[start]);
    const wide = Math.max((index - start) * scale, 0.8);
    pen.fillRect(start * scale, top(chain.row[start]), wide, tall(chain.row[start]));
    start = index;
  }
  for (let index = 0; index < chain.count; index += 1) {
    const bits = chain.mark[index];
    const worst = SHAPES.find((mark) => bits & mark);
    if (!worst) continue;
    pen.fillStyle = worst === INTERRUPT || worst === FINDING ? colors.orange : worst === DECISION ? colors.green : colors.red;
    const tallest = worst === VIOLATION || worst === ERROR ? 6 : 3;
    pen.fillRect(index * scale - 0.75, 7 - tallest, 1.75, tallest);
  }
  const [first, last] = layout.window(at.pivot);
  const bottom = 8 + OVERVIEW_ROW + (chain.rows - 1) * OVERVIEW_BRANCH;
  pen.strokeStyle = colors.text;
  pen.lineWidth = 1;
  pen.strokeRect(first * scale + 0.5, 6.5, (last - first) * scale - 1, bottom - 5);
  if (base !== null) {
    pen.fillStyle = colors.text;
    pen.fillRect(base * scale - 0.75, 5, 1.5, bottom - 2);
  }
  pen.fillStyle = colors.primary;
  pen.fillRect(at.position * scale - 1.25, 3, 2.5, bottom + 2);
}

function paintJoins(pen, chain, layout, colors, first, last) {
  pen.strokeStyle = colors.text;
  pen.globalAlpha = 0.55;
  pen.lineWidth = 1.25;
  for (let index = first; index < chain.count; index += 1) {
    const parent = chain.parent[index];
    // A child that follows its parent in the same row needs no line.
    if (parent === null || (parent === index - 1 && chain.row[parent] === chain.row[index])) continue;
    if (index >= last && parent >= last) continue;
    if (chain.row[parent] === chain.row[index] && index >= last && parent < first) continue;
    const middle = (row) => layout.rowTop(row) + layout.rowHeight(row) / 2;
    const from = (parent - first + 1) * layout.cell - layout.look.gap / 2 - 1;
    const to = (index - first) * layout.cell;
    const y1 = middle(chain.row[parent]);
    const y2 = middle(chain.row[index]);
    pen.beginPath();
    if (y1 === y2) {
      pen.moveTo(from, y1);
      pen.lineTo(to, y2);
    } else {
      const down = from + Math.min(6, layout.cell / 2);
      pen.moveTo(from, y1);
      pen.lineTo(down, y1);
      pen.lineTo(down, y2);
      pen.lineTo(to, y2);
    }
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function paintCell(pen, chain, layout, colors, index, x) {
  const { look, cell } = layout;
  const top = layout.rowTop(chain.row[index]);
  const wide = Math.max(cell - look.gap, 1);
  const bits = chain.mark[index];
  const fill = phaseFill(pen, colors, chain.phase[index]);
  if (look.kind === "bar") {
    const most = layout.rowHeight(chain.row[index]);
    const tall = most * (0.4 + 0.6 * (chain.size[index] / chain.largest));
    pen.fillStyle = fill;
    if (bits & STATELESS) {
      pen.strokeStyle = colors.gray;
      pen.lineWidth = 1;
      pen.strokeRect(x + 0.5, top + most - 8, Math.max(wide - 1, 1), 8);
    } else pen.fillRect(x, top + most - tall, wide, tall);
  } else paintCard(pen, chain, layout, colors, index, x, top, wide, fill);
  if (bits & GAP) {
    pen.fillStyle = colors.orange;
    for (let y = top - 2; y < top + layout.rowHeight(chain.row[index]); y += 5) pen.fillRect(x - look.gap / 2 - 1, y, 2, 3);
  }
  paintMarks(pen, colors, look, bits, x, top, wide);
}

function paintMarks(pen, colors, look, bits, x, top, wide) {
  const present = SHAPES.filter((mark) => bits & mark);
  if (look.kind === "bar") {
    if (present.length) drawMark(pen, colors, present[0], x + wide / 2, top - 6, Math.min(4, wide));
    return;
  }
  present.forEach((mark, place) => drawMark(pen, colors, mark, x + 6 + place * 12, top - 6));
}

function paintCard(pen, chain, layout, colors, index, x, top, wide, fill) {
  const { look } = layout;
  const bits = chain.mark[index];
  pen.fillStyle = colors.surface;
  pen.fillRect(x, top, wide, look.height);
  pen.strokeStyle = phaseColor(colors, chain.phase[index]);
  pen.lineWidth = 1;
  if (bits & STATELESS) pen.setLineDash([3, 3]);
  pen.strokeRect(x + 0.5, top + 0.5, wide - 1, look.height - 1);
  pen.setLineDash([]);
  pen.fillStyle = fill;
  if (look.kind === "card") pen.fillRect(x + 1, top + 1, 8, look.height - 2);
  else pen.fillRect(x + 1, top + look.height - 9, wide - 2, 8);
  pen.fillStyle = colors.text;
  pen.textBaseline = "middle";
  const step = chain.step[index] === null ? `@${index}` : `${chain.step[index]}`;
  if (look.kind === "number") {
    pen.font = `11px ${colors.font}`;
    pen.textAlign = "center";
    pen.fillText(fitted(pen, step, wide - 4), x + wide / 2, top + 10);
    pen.textAlign = "left";
    return;
  }
  pen.textAlign = "left";
  const room = wide - 20;
  const word = chain.status[index] || (bits & STATELESS ? "no state" : chain.phases[chain.phase[index]]);
  pen.font = `600 12px ${colors.font}`;
  const label = chain.step[index] === null ? step : room > 70 ? `step ${step}` : step;
  pen.fillText(fitted(pen, label, room), x + 15, top + 14);
  pen.font = `12px ${colors.font}`;
  const node = chain.node[index];
  // A run that goes on says so by its colour: then the node alone tells the checkpoints apart.
  const plain = ["running", "unknown"].includes(chain.phases[chain.phase[index]]);
  const second = !node ? word : plain ? node : room > 90 ? `${word} · ${node}` : word;
  pen.fillText(fitted(pen, second, room), x + 15, top + 31);
}

function fitted(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  let cut = text.length - 1;
  while (cut > 0 && pen.measureText(`${text.slice(0, cut)}…`).width > room) cut -= 1;
  return cut > 0 ? `${text.slice(0, cut)}…` : "";
}

/** Frame a cell: the selected one thick, the base thin with a `B`, dashed when it is the parent. */
function paintFrame(pen, chain, layout, colors, index, x, implied = undefined) {
  const { look, cell } = layout;
  const top = layout.rowTop(chain.row[index]);
  const tall = layout.rowHeight(chain.row[index]);
  const wide = Math.max(cell - look.gap, 3);
  const isBase = implied !== undefined;
  pen.strokeStyle = isBase ? colors.text : colors.primary;
  pen.lineWidth = isBase ? 1.25 : 2.25;
  if (implied) pen.setLineDash([3, 2]);
  pen.strokeRect(x - 1, top - 1, wide + 2, tall + 2);
  pen.setLineDash([]);
  if (!isBase) {
    // The tab below the frame keeps a 6 px bar findable.
    pen.fillStyle = colors.primary;
    pen.fillRect(x + wide / 2 - 5, top + tall, 10, 2.5);
  } else if (look.kind !== "bar") {
    pen.font = `600 10px ${colors.font}`;
    pen.fillStyle = colors.text;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.fillText("base", x + wide, top - 6);
    pen.textAlign = "left";
  }
}
