// A state as rows, with what changed and what is wrong at each. Pure: node can run it.

import { ARRAY, Columns, STRING, escapeToken, firstMatch, splitPointer } from "./json.js";
import { guides } from "./tree_guides.js";
import { plainHits } from "./tree_search.js";

export const ADDED = 1;
export const REMOVED = 2;
export const REPLACED = 3;
export const MOVED = 4;
const OPS = { add: ADDED, remove: REMOVED, replace: REPLACED, move: MOVED };
export const OP_WORDS = ["", "added", "removed", "changed", "moved"];
export const OP_SIGNS = ["", "+", "−", "~", "→"];

export class StateTree {
  constructor(payload) {
    this.columns = new Columns();
    this.owners = payload.owners;
    this.planes = payload.planes;
    this.rules = payload.rules ?? [];
    this.schema = payload.schema ?? null;
    this.projection = payload.projection ?? null;
    this.op = new Map();
    this.edit = new Map();
    this.removedFrom = new Map();
    this.violations = new Map();
    this.guides = guides(payload);
    this.columns.read(payload.state, { guide: this.guides, hooks: this.hooks() });
    this.placeViolations(this.guides, 0);
    this.count();
    this.folded = this.foldedRows(payload.folded);
  }

  get length() {
    return this.columns.length;
  }

  hooks() {
    const insert = (row, guide, matches) => {
      for (const entry of guide.removed) if (matches(entry.at)) this.insertRemoved(row, entry);
    };
    return {
      descend: (guide, key) => guide.children.get(String(key)),
      row: (row, guide) => {
        guide.row = row;
        if (!guide.change) return;
        const [op, , from, old, alike] = guide.change;
        this.op.set(row, OPS[op]);
        this.edit.set(row, { from, old, alike });
      },
      item: (row, guide, at) => insert(row, guide, (wanted) => wanted === at),
      close: (row, guide, count) => insert(row, guide, (wanted) => wanted < 0 || wanted >= count),
    };
  }

  insertRemoved(parent, { key, pointer, value }) {
    const row = this.length;
    if (Array.isArray(value)) this.columns.readCut(value, parent, key);
    else this.columns.read(value, { parent, key });
    this.op.set(row, REMOVED);
    this.removedFrom.set(row, pointer);
  }

  /** A violation of a field that is not there stands at the nearest place that is. */
  placeViolations(guide, nearest) {
    const row = guide.row ?? nearest;
    if (guide.violations.length) {
      const known = this.violations.get(row) ?? [];
      this.violations.set(row, [...known, ...guide.violations]);
    }
    for (const child of guide.children.values()) this.placeViolations(child, row);
  }

  /** Count changes and violations below each row, and what descendants take over from a change. */
  count() {
    const { parent } = this.columns;
    this.tone = new Uint8Array(this.length);
    for (let row = 0; row < this.length; row += 1) {
      const above = parent[row] < 0 ? 0 : this.tone[parent[row]];
      this.tone[row] = this.op.get(row) ?? (above === ADDED || above === REMOVED ? above : 0);
    }
    const up = (rows) => {
      const below = new Uint32Array(this.length);
      for (const row of rows) for (let at = row; at >= 0; at = parent[at]) below[at] += 1;
      return below;
    };
    this.changes = [...this.op.keys()].sort((a, b) => a - b);
    this.changesBelow = up(this.changes);
    this.broken = [...this.violations.keys()].sort((a, b) => a - b);
    this.brokenBelow = up(this.broken);
  }

  isRemoved(row) {
    return this.tone[row] === REMOVED;
  }

  /** The rows of top-level fields that a person seldom reads. */
  foldedRows(names) {
    const wanted = new Set(names);
    const { key, end } = this.columns;
    const found = new Set();
    for (let at = 1; wanted.size && at < this.length; at = end[at]) {
      if (wanted.has(String(key[at]))) found.add(at);
    }
    return found;
  }

  /** The changes to stop at: all of them, or those outside what is folded. */
  changesIn(unfolded) {
    if (unfolded || !this.folded.size) return this.changes;
    const { parent } = this.columns;
    const top = (row) => (parent[row] > 0 ? top(parent[row]) : row);
    return (this.outside ??= this.changes.filter((row) => !this.folded.has(top(row))));
  }

  /** The tokens of `row`, in the base for what was removed, else in the state shown. */
  tokens(row) {
    const { key, parent } = this.columns;
    const parts = [];
    for (let at = row; parent[at] >= 0; at = parent[at]) {
      const base = this.removedFrom.get(at);
      if (base !== undefined) return [...splitPointer(base), ...parts.reverse()];
      parts.push(String(key[at]));
    }
    return parts.reverse();
  }

  pointer(row) {
    return this.tokens(row).map((token) => `/${escapeToken(token)}`).join("");
  }

  /** What names a row across checkpoints. */
  name(row) {
    return (this.isRemoved(row) ? "-" : "") + this.pointer(row);
  }

  /** The row that `name` names, or null. */
  find(name) {
    if (name.startsWith("-")) {
      const wanted = name.slice(1);
      for (const [row, pointer] of this.removedFrom) if (pointer === wanted) return row;
      return null;
    }
    let at = 0;
    for (const token of splitPointer(name)) {
      const next = this.child(at, token);
      if (next === null) return null;
      at = next;
    }
    return at;
  }

  /** The row at `pointer`: of the state shown, else of what was removed from it, else null. */
  at(pointer) {
    return this.find(pointer) ?? this.find(`-${pointer}`);
  }

  /** The row of `name`, or of the nearest place above it that is there. */
  nearest(name) {
    const exact = this.find(name);
    if (exact !== null) return exact;
    let row = 0;
    for (const token of splitPointer(name.replace(/^-/, ""))) {
      const next = this.child(row, token);
      if (next === null) break;
      row = next;
    }
    return row;
  }

  child(row, token) {
    const { key, end } = this.columns;
    for (let at = row + 1; at < end[row]; at = end[at]) {
      if (!this.removedFrom.has(at) && String(key[at]) === token) return at;
    }
    return null;
  }

  isIndex(row) {
    const { parent, kind } = this.columns;
    return parent[row] >= 0 && kind[parent[row]] === ARRAY;
  }

  owner(row) {
    return this.owners.length ? firstMatch(this.owners, this.tokens(row)) : null;
  }

  plane(row) {
    return this.planes.length ? firstMatch(this.planes, this.tokens(row)) : null;
  }

  /** Rows whose key or scalar value holds `needle`, in order. */
  search(needle, cased = false) {
    return plainHits(this, needle, cased);
  }

  /** Return 1 for each of `rows`, 2 for what lies above one of them, else 0. */
  withAncestors(rows) {
    const { parent } = this.columns;
    const marked = new Uint8Array(this.length);
    for (const row of rows) {
      marked[row] ||= 1;
      for (let at = parent[row]; at >= 0 && marked[at] !== 2; at = parent[at]) marked[at] = 2;
    }
    return marked;
  }

  /**
   * Return the rows in sight. `open` says which containers are open; `kept` (from `withAncestors`)
   * filters: what lies above a kept row is open, what lies below one follows `open`. Folded rows
   * are left out unless `unfolded` or kept.
   */
  rows(open, kept = null, unfolded = false) {
    const { end } = this.columns;
    const shown = [];
    let free = kept ? 0 : this.length;
    for (let row = 0; row < this.length; ) {
      const filtered = row >= free;
      if ((filtered && !kept[row]) || (!kept && !unfolded && this.folded.has(row))) {
        row = end[row];
        continue;
      }
      shown.push(row);
      const isOpen = filtered && kept[row] === 2 ? true : open[row];
      if (filtered && kept[row] === 1) free = end[row];
      row = isOpen ? row + 1 : end[row];
    }
    return shown;
  }

  /** The text of a scalar for people; strings without quotes. */
  text(row) {
    return this.columns.shown(row);
  }

  isText(row) {
    return this.columns.kind[row] === STRING;
  }
}
