// Draws the strip: overview of the whole chain above, magnified window below.

import { GAP, SHAPES, STATELESS, drawMark, phaseColor, phaseFill } from "./strip_look.js";
import { idleGaps, stepAxis, timeAxis } from "./strip_axis.js";
import { magnified } from "./strip_model.js";
import { overviewHeight, paintOverview } from "./strip_overview.js";
import { RULER, paintBreaks, paintRuler } from "./strip_ruler.js";

const MARKS_HEIGHT = 11;
const SHOWN = 160;
const CARD = { kind: "card", height: 44, gap: 6, most: 210, least: 78, narrow: 30 };
const NUMBER = { kind: "number", height: 28, gap: 3, most: 78, least: 24, narrow: 14 };
const BAR = { kind: "bar", height: 30, gap: 1, most: 24, least: 0, narrow: 3 };
// Branches of a long chain are seldom in sight: their rows are lower.
const BRANCH_BAR = 14;
const FAINT = 0.22;

/**
 * Return how the strip is laid out at `width`: what a cell looks like, where rows stand, and how
 * tall the drawing is. It depends on the chain and the clock, not on the position, so stepping
 * never resizes. `clock` is `{byTime, unfolded}`: the idle gaps that a person wants to see.
 */
export function layoutOf(chain, width, clock) {
  const long = chain.count > SHOWN;
  const shown = long ? SHOWN : chain.count;
  const look = [CARD, NUMBER, BAR].find((style) => width / shown >= style.least);
  const overview = long ? overviewHeight(chain.rows) : 0;
  // Cells that are only bars and carry no mark need no room above them.
  const bare = look === BAR && !chain.mark.some((bits) => SHAPES.some((mark) => bits & mark));
  const above = bare ? 3 : MARKS_HEIGHT;
  const pitch = look.height + above + 2;
  const branch = look === BAR ? BRANCH_BAR + above : pitch;
  const folded = new Map();
  if (clock.byTime) {
    for (const [index, ms] of idleGaps(chain.time)) {
      if (!clock.unfolded.has(index)) folded.set(index, ms);
    }
  }
  const axis = (first, last, least) =>
    clock.byTime
      ? timeAxis(chain.time, first, last, width, folded, least)
      : stepAxis(first, last, width, long && least === 0 ? Infinity : look.most);
  let kept = null;
  return {
    width,
    look,
    overview,
    byTime: clock.byTime,
    whole: long ? axis(0, chain.count, 0) : null,
    rowTop: (row) => overview + above + (row ? pitch + (row - 1) * branch : 0),
    rowHeight: (row) => (row && look === BAR ? BRANCH_BAR : look.height),
    height: overview + pitch + branch * (chain.rows - 1) + 3 + (clock.byTime ? RULER : 0),
    // The axis of the magnified window around `position`.
    window: (position) => {
      const [first, last] = magnified(chain.count, position, SHOWN);
      if (kept?.first !== first || kept.last !== last) kept = axis(first, last, look.narrow);
      return kept;
    },
  };
}

/** Return the index at `x, y` of the drawing, or null. */
export function indexAt(chain, layout, position, x, y) {
  const last = chain.count - 1;
  if (y >= layout.overview) return layout.window(position).at(x);
  return layout.whole.at(Math.max(0, x)) ?? (x > layout.width / 2 ? last : 0);
}

/** Return the folded idle gap at `x, y` of the drawing, or null. */
export function breakAt(layout, position, x, y) {
  if (y < layout.overview) return null;
  return layout.window(position).breaks.find((gap) => x >= gap.left && x < gap.right) ?? null;
}

/** Return `[x, y, width, height]` of the place that unfolds the subgraphs of a cell, or null. */
export function nestBox(chain, layout, axis, index) {
  if (!chain.nests[index] || layout.look === BAR) return null;
  const top = layout.rowTop(chain.row[index]);
  const right = axis.right(index) - layout.look.gap;
  if (right - axis.left(index) < 22) return null;
  return layout.look === CARD ? [right - 30, top + 25, 27, 16] : [right - 15, top + 2, 13, 12];
}

/** The checkpoint to mark as base: the chosen one, else the parent; null where it lies outside. */
export function baseOf(chain, at) {
  return at.base ?? (at.outside ? null : chain.parent[at.position]);
}

/**
 * Draw everything; `at` is `{position, base, outside, pivot, hit, filtered, unfolded}`: base null
 * for the parent, or for none in this chain where it lies outside, hit null where nothing is filtered, unfolded tells whether a cell's subgraphs are shown.
 */
export function paint(pen, chain, layout, colors, at) {
  pen.clearRect(0, 0, layout.width, layout.height);
  const base = baseOf(chain, at);
  if (layout.overview) paintOverview(pen, chain, layout, colors, at, base);
  const axis = layout.window(at.pivot);
  const { first, last } = axis;
  paintJoins(pen, chain, layout, colors, axis);
  for (let index = first; index < last; index += 1) {
    pen.globalAlpha = at.hit && !at.hit[index] ? FAINT : 1;
    paintCell(pen, chain, layout, colors, axis, index, at.unfolded(index));
  }
  pen.globalAlpha = 1;
  if (layout.byTime) {
    paintBreaks(pen, layout, colors, axis);
    paintRuler(pen, chain, layout, colors, axis);
  }
  if (base !== null && base >= first && base < last) {
    paintFrame(pen, chain, layout, colors, axis, base, at.base === null);
  }
  if (at.position >= first && at.position < last) {
    paintFrame(pen, chain, layout, colors, axis, at.position);
  }
}

function paintJoins(pen, chain, layout, colors, axis) {
  const { first, last } = axis;
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
    const from = axis.right(parent) - layout.look.gap / 2 - 1;
    const to = axis.left(index);
    const y1 = middle(chain.row[parent]);
    const y2 = middle(chain.row[index]);
    pen.beginPath();
    if (y1 === y2) {
      pen.moveTo(from, y1);
      pen.lineTo(to, y2);
    } else {
      const down = from + Math.min(6, Math.max(1, to - from) / 2);
      pen.moveTo(from, y1);
      pen.lineTo(down, y1);
      pen.lineTo(down, y2);
      pen.lineTo(to, y2);
    }
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function paintCell(pen, chain, layout, colors, axis, index, unfolded) {
  const { look } = layout;
  const x = axis.left(index);
  const top = layout.rowTop(chain.row[index]);
  const tallest = layout.rowHeight(chain.row[index]);
  const wide = Math.max(axis.right(index) - x - look.gap, 1);
  const bits = chain.mark[index];
  const fill = phaseFill(pen, colors, chain.phase[index]);
  if (look === BAR) {
    const tall = tallest * (0.4 + 0.6 * (chain.size[index] / chain.largest));
    pen.fillStyle = fill;
    if (bits & STATELESS) {
      pen.strokeStyle = colors.gray;
      pen.lineWidth = 1;
      pen.strokeRect(x + 0.5, top + tallest - 8, Math.max(wide - 1, 1), 8);
    } else pen.fillRect(x, top + tallest - tall, wide, tall);
  } else paintCard(pen, chain, layout, colors, index, x, top, wide, fill);
  if (bits & GAP) {
    pen.fillStyle = colors.orange;
    for (let y = top - 2; y < top + tallest; y += 5) pen.fillRect(x - look.gap / 2 - 1, y, 2, 3);
  }
  if (chain.nests[index]) paintNests(pen, chain, layout, colors, axis, index, unfolded);
  paintMarks(pen, colors, look, bits, x, top, wide);
}

/** A triangle that points down where subgraphs can be unfolded, up where they are. */
function paintNests(pen, chain, layout, colors, axis, index, unfolded) {
  const box = nestBox(chain, layout, axis, index);
  const row = chain.row[index];
  let x = (axis.left(index) + axis.right(index) - layout.look.gap) / 2;
  let y = layout.rowTop(row) + layout.rowHeight(row) - 4;
  if (box) {
    const [left, top, wide, tall] = box;
    pen.strokeStyle = colors.line;
    pen.lineWidth = 1;
    pen.fillStyle = colors.background;
    pen.fillRect(left, top, wide, tall);
    pen.strokeStyle = colors.text;
    pen.strokeRect(left + 0.5, top + 0.5, wide - 1, tall - 1);
    x = left + (layout.look === CARD ? 8 : wide / 2);
    y = top + tall / 2;
    if (layout.look === CARD) {
      pen.fillStyle = colors.text;
      pen.font = `11px ${colors.font}`;
      pen.textBaseline = "middle";
      const count = chain.nests[index];
      pen.fillText(count > 9 ? "9+" : `${count}`, left + 15, y + 0.5);
    }
  }
  const turn = unfolded ? -1 : 1;
  pen.fillStyle = colors.text;
  pen.beginPath();
  pen.moveTo(x - 4, y - 2.5 * turn);
  pen.lineTo(x + 4, y - 2.5 * turn);
  pen.lineTo(x, y + 3 * turn);
  pen.fill();
}

function paintMarks(pen, colors, look, bits, x, top, wide) {
  const present = SHAPES.filter((mark) => bits & mark);
  if (look === BAR) {
    if (present.length) drawMark(pen, colors, present[0], x + wide / 2, top - 6, Math.min(4, Math.max(wide, 2)));
    return;
  }
  const room = Math.max(1, Math.floor(wide / 12));
  present.slice(0, room).forEach((mark, place) => drawMark(pen, colors, mark, x + 6 + place * 12, top - 6));
}

function paintCard(pen, chain, layout, colors, index, x, top, wide, fill) {
  const { look } = layout;
  const bits = chain.mark[index];
  pen.fillStyle = colors.surface;
  pen.fillRect(x, top, wide, look.height);
  pen.strokeStyle = phaseColor(colors, chain.phase[index]);
  pen.lineWidth = 1;
  if (bits & STATELESS) pen.setLineDash([3, 3]);
  pen.strokeRect(x + 0.5, top + 0.5, Math.max(1, wide - 1), look.height - 1);
  pen.setLineDash([]);
  pen.fillStyle = fill;
  if (look === CARD) pen.fillRect(x + 1, top + 1, Math.min(8, wide - 2), look.height - 2);
  else pen.fillRect(x + 1, top + look.height - 9, Math.max(1, wide - 2), 8);
  pen.fillStyle = colors.text;
  pen.textBaseline = "middle";
  const step = chain.step[index] === null ? `@${index}` : `${chain.step[index]}`;
  const nested = chain.nests[index] ? 1 : 0;
  if (look === NUMBER) {
    pen.font = `11px ${colors.font}`;
    pen.textAlign = "center";
    pen.fillText(fitted(pen, step, wide - 4 - 14 * nested), x + (wide - 14 * nested) / 2, top + 10);
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
  pen.fillText(fitted(pen, second, room - 30 * nested), x + 15, top + 31);
}

function fitted(pen, text, room) {
  if (room < 6) return "";
  if (pen.measureText(text).width <= room) return text;
  let cut = Math.min(text.length - 1, Math.ceil(room / 3));
  while (cut > 0 && pen.measureText(`${text.slice(0, cut)}…`).width > room) cut -= 1;
  return cut > 0 ? `${text.slice(0, cut)}…` : "";
}

/** Frame a cell: the selected one thick, the base thin with a `B`, dashed when it is the parent. */
function paintFrame(pen, chain, layout, colors, axis, index, implied = undefined) {
  const { look } = layout;
  const x = axis.left(index);
  const top = layout.rowTop(chain.row[index]);
  const tall = layout.rowHeight(chain.row[index]);
  const wide = Math.max(axis.right(index) - x - look.gap, 3);
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
  } else if (look !== BAR && wide > 30) {
    pen.font = `600 10px ${colors.font}`;
    pen.fillStyle = colors.text;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.fillText("base", x + wide, top - 6);
    pen.textAlign = "left";
  }
}
