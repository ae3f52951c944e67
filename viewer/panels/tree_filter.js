// Which places of a state pass the filters, and how many. Pure: node can run it.

import { MAY_BE, NOT_SHOWN, SHOWN, planesOf, shownOf } from "./tree_meaning.js";

const PLANE = "plane:";
const KNOWN = ["changed", "violating", "shown", "not-shown"];

/** Return the words of the filter that the address names, those that we know. */
export function filterWords(text) {
  const words = (text ?? "").split(",").map((word) => word.trim());
  return new Set(words.filter((word) => KNOWN.includes(word) || word.startsWith(PLANE)));
}

/** Return the words as the address carries them, or null for no filter. */
export function filterText(words) {
  return words.size ? [...words].join(",") : null;
}

/** Return the plane that `words` name, or null. */
export function planeIn(words) {
  const found = [...words].find((word) => word.startsWith(PLANE));
  return found ? found.slice(PLANE.length) : null;
}

/** Return `words` with `word` switched; shown and not shown exclude each other. */
export function switched(words, word) {
  const next = new Set(words);
  if (next.has(word)) next.delete(word);
  else next.add(word);
  if (word === "shown") next.delete("not-shown");
  if (word === "not-shown") next.delete("shown");
  return next;
}

/** Return `words` with the plane `name`, or none. */
export function inPlane(words, name) {
  const next = new Set([...words].filter((word) => !word.startsWith(PLANE)));
  if (name) next.add(PLANE + name);
  return next;
}

/** What lies where in one state, computed when it is first asked for. */
export class Meanings {
  constructor(tree) {
    this.tree = tree;
  }

  get planes() {
    return (this.knownPlanes ??= planesOf(this.tree));
  }

  get shown() {
    if (this.knownShown === undefined) this.knownShown = shownOf(this.tree);
    return this.knownShown;
  }

  /** `[plane, how many values lie in it]`, those of this state. */
  planeCounts() {
    const { names, plane } = this.planes;
    const counts = names.map(() => 0);
    this.leaves((row) => (counts[plane[row]] += 1));
    return names.map((name, place) => [name, counts[place]]).filter(([name, count]) => name !== null && count);
  }

  /** How many values would be shown, and how many not; null without a projection. */
  shownCounts() {
    const { shown } = this;
    if (!shown) return null;
    const counts = [0, 0, 0, 0];
    this.leaves((row) => (counts[shown[row]] += 1));
    return { shown: counts[SHOWN], "not-shown": counts[NOT_SHOWN], "may be": counts[MAY_BE] };
  }

  leaves(visit) {
    const { end } = this.tree.columns;
    for (let row = 0; row < end.length; row += 1) {
      if (end[row] === row + 1 && !this.tree.isRemoved(row)) visit(row);
    }
  }

  /** Return whether a row passes what `words` ask of its plane and of what is shown. */
  test(words) {
    const plane = planeIn(words);
    const { names, plane: lies } = plane === null ? { names: [], plane: null } : this.planes;
    const wanted = names.indexOf(plane);
    const state = words.has("shown") ? SHOWN : words.has("not-shown") ? NOT_SHOWN : 0;
    const shown = state ? this.shown : null;
    if (plane === null && !shown) return null;
    return (row) => (plane === null || (wanted > 0 && lies[row] === wanted)) && (!shown || shown[row] === state);
  }
}

/**
 * Return what passes `words`: `{stops, kept}`, `stops` the rows to go to, `kept` as
 * `StateTree.withAncestors` gives it. Null where no word filters. A word that would leave nothing by
 * itself in this state (no change, no violation) rests: `resting` names it.
 */
export function passing(meanings, words, changes) {
  const { tree } = meanings;
  const resting = new Set();
  if (words.has("changed") && !changes.length) resting.add("changed");
  if (words.has("violating") && !tree.broken.length) resting.add("violating");
  const active = new Set([...words].filter((word) => !resting.has(word)));
  if ((active.has("shown") || active.has("not-shown")) && !tree.projection) {
    for (const word of ["shown", "not-shown"]) if (active.delete(word)) resting.add(word);
  }
  const test = meanings.test(active);
  let rows = null;
  if (active.has("violating")) {
    rows = active.has("changed") ? tree.broken.filter((row) => touches(tree, row)) : tree.broken;
  } else if (active.has("changed")) {
    rows = changes;
  }
  if (rows === null && test === null) return { active, resting, stops: null, kept: null };
  if (rows !== null) {
    const stops = test ? rows.filter((row) => passesBelow(tree, row, test)) : rows;
    return { active, resting, stops, kept: tree.withAncestors(stops) };
  }
  return { active, resting, ...throughout(tree, test) };
}

/** Whether something changed at `row`, above it or below it. */
function touches(tree, row) {
  if (tree.changesBelow[row] > 0) return true;
  const { parent } = tree.columns;
  for (let at = row; at >= 0; at = parent[at]) if (tree.op.has(at)) return true;
  return false;
}

function passesBelow(tree, row, test) {
  const { end } = tree.columns;
  for (let at = row; at < end[row]; at += 1) if (end[at] === at + 1 && test(at)) return true;
  return false;
}

/** Rows all below which passes are kept whole (1), those with some are on the way (2). */
function throughout(tree, test) {
  const { end, parent, length } = tree.columns;
  const some = new Uint8Array(length);
  const every = new Uint8Array(length).fill(1);
  for (let row = length - 1; row >= 0; row -= 1) {
    if (end[row] === row + 1) {
      const passes = test(row) && !tree.isRemoved(row);
      some[row] = every[row] = passes ? 1 : 0;
    }
    const above = parent[row];
    if (above < 0 || tree.isRemoved(row)) continue;
    some[above] |= some[row];
    every[above] &= every[row];
  }
  const kept = new Uint8Array(length);
  const stops = [];
  for (let row = 0; row < length; row += 1) {
    kept[row] = some[row] ? (every[row] ? 1 : 2) : 0;
    if (kept[row] === 1 && (row === 0 || kept[parent[row]] !== 1)) stops.push(row);
  }
  return { stops, kept };
}
