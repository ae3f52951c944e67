// Where cells stand along the strip: equal cells, or by time with idle time folded. Pure.

/** Gaps are idle when they are this many times the median gap, and at least so many ms. */
const IDLE_TIMES = 20;
const IDLE_LEAST = 30_000;
const BREAK = 46;

/** Return `[index, ms]` of each idle gap: how long nothing was saved before that checkpoint. */
export function idleGaps(time) {
  const gaps = gapsOf(time, 0, time.length);
  const known = gaps.filter((gap) => gap > 0).sort((a, b) => a - b);
  if (!known.length) return new Map();
  const least = Math.max(IDLE_LEAST, IDLE_TIMES * known[known.length >> 1]);
  return new Map([...gaps.entries()].filter(([, gap]) => gap > least));
}

function gapsOf(time, first, last) {
  const gaps = [];
  let before = null;
  for (let index = first; index < last; index += 1) {
    const now = time[index];
    gaps.push(before === null || now === null ? 0 : Math.max(0, now - before));
    before = now ?? before;
  }
  return gaps;
}

/** Return the axis of equal cells, `most` wide each, for the checkpoints from `first` to `last`. */
export function stepAxis(first, last, width, most = Infinity) {
  const cell = Math.min(most, width / (last - first));
  const left = (index) => (index - first) * cell;
  return {
    first,
    last,
    breaks: [],
    left,
    right: (index) => left(index) + cell,
    at: (x) => within(first + Math.floor(x / cell), first, last),
  };
}

const within = (index, first, last) => (index >= first && index < last ? index : null);

/**
 * Return the axis on which a cell is as wide as the time since the cell before it, and at least
 * `least`: its right edge is when it was saved. `folded` are the idle gaps drawn as a break.
 */
export function timeAxis(time, first, last, width, folded, least) {
  const count = last - first;
  const gaps = gapsOf(time, first, last);
  const breaks = [];
  gaps.forEach((ms, place) => {
    if (place && folded.has(first + place)) {
      gaps[place] = 0;
      breaks.push({ index: first + place, ms: folded.get(first + place) });
    }
  });
  const fold = breaks.length ? Math.min(BREAK, (width * 0.3) / breaks.length) : 0;
  const narrow = Math.min(least, ((width - fold * breaks.length) * 0.6) / count);
  const all = gaps.reduce((sum, gap) => sum + gap, 0);
  const room = width - fold * breaks.length - narrow * count;
  const lefts = new Float64Array(count);
  const rights = new Float64Array(count);
  let x = 0;
  let next = 0;
  for (let place = 0; place < count; place += 1) {
    if (breaks[next]?.index === first + place) {
      Object.assign(breaks[next], { left: x, right: x + fold });
      x += fold;
      next += 1;
    }
    lefts[place] = x;
    x += narrow + (all ? (room * gaps[place]) / all : room / count);
    rights[place] = x;
  }
  return {
    first,
    last,
    breaks,
    // What lies outside is drawn outside: lines to it leave the drawing.
    left: (index) => (index < first ? -30 : index >= last ? width + 30 : lefts[index - first]),
    right: (index) => (index < first ? -30 : index >= last ? width + 30 : rights[index - first]),
    at: (x) => {
      const place = firstAbove(rights, x);
      return place < count && x >= lefts[place] ? first + place : null;
    },
  };
}

function firstAbove(sorted, x) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] > x) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Return "2 h 3 min" of milliseconds: the two largest units; below ten seconds what is exact. */
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ];
  const from = parts.findIndex(([number]) => number);
  const told = parts.slice(from, from + 2).filter(([number]) => number);
  return told.map(([number, unit]) => `${number} ${unit}`).join(" ");
}
