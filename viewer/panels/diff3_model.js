// The changes as rows: groups, filters, folds. Pure: node can run it.

import { Columns, prettyJson, splitPointer, STRING, TYPE_NAMES, unquote } from "./json.js";
import { unwrapped } from "./text.js";

export const OPS = ["add", "remove", "replace", "move"];
export const WORDS = { add: "added", remove: "removed", replace: "changed", move: "moved" };
export const SIGNS = { add: "+", remove: "−", replace: "~", move: "→" };

/** A value that travelled as JSON text, or as `[beginning, length, type]` when it was too long. */
export class Value {
  constructor(wire) {
    this.cut = Array.isArray(wire) ? { length: wire[1], type: wire[2] } : null;
    this.raw = this.cut ? wire[0] : wire;
    this.isText = !this.cut && this.raw.startsWith('"');
  }

  /** One line for a cell: strings without quotes, all else as JSON, what wraps it first. */
  get line() {
    return this.isText ? unquote(this.raw) : unwrapped(this.raw);
  }

  /** The whole value for reading. */
  get whole() {
    if (this.cut) return this.raw;
    if (this.isText) return unquote(this.raw);
    if (!/^[[{]/.test(this.raw)) return this.raw;
    const columns = new Columns();
    columns.read(this.raw);
    return prettyJson(columns, 0);
  }

  get type() {
    if (this.cut) return this.cut.type;
    if (/^-?\d+$/.test(this.raw)) return "integer";
    const columns = new Columns();
    if (!/^[[{]/.test(this.raw)) columns.read(this.raw);
    else return this.raw[0] === "{" ? "object" : "array";
    return columns.kind[0] === STRING ? "string" : TYPE_NAMES[columns.kind[0]];
  }
}

export class Changes {
  constructor(payload) {
    this.payload = payload;
    this.entries = payload.rows.map((row, index) => ({
      ...row,
      index,
      group: row.path.slice(1).split("/", 1)[0],
      old: row.old === undefined ? null : new Value(row.old),
      new: row.new === undefined ? null : new Value(row.new),
      seen: row.seen === undefined ? null : new Value(row.seen),
    }));
    this.verdicts = [...new Set(this.entries.map((entry) => entry.verdict).filter(Boolean))];
    this.noisy = this.entries.filter((entry) => entry.noise).length;
  }

  /** How many changes, noise aside, have each op and each verdict. */
  counts() {
    const found = {};
    for (const entry of this.entries) {
      if (entry.noise) continue;
      found[entry.op] = (found[entry.op] ?? 0) + 1;
      if (entry.verdict) found[entry.verdict] = (found[entry.verdict] ?? 0) + 1;
    }
    return found;
  }

  /** Return the entries that pass the filters; an empty set lets everything pass. */
  passing({ ops, verdicts, query }) {
    const wanted = query.toLowerCase();
    return this.entries.filter(
      (entry) =>
        (!ops.size || ops.has(entry.op)) &&
        (!verdicts.size || verdicts.has(entry.verdict)) &&
        (!wanted || this.searchable(entry).includes(wanted)),
    );
  }

  searchable(entry) {
    entry.lower ??= [entry.path, entry.from, entry.old?.line, entry.new?.line, entry.seen?.line]
      .filter(Boolean)
      .join("\n")
      .toLowerCase();
    return entry.lower;
  }

  /**
   * Return the rows to draw: a heading a top-level field with its changes below it, then the
   * folded noise and the folded unchanged fields. `open` names the folds that are open.
   */
  rows(filters, open) {
    const passing = this.passing(filters);
    const filtered = filters.ops.size || filters.verdicts.size || filters.query;
    const groups = new Map();
    const noise = [];
    for (const entry of passing) {
      if (entry.noise) noise.push(entry);
      else if (groups.has(entry.group)) groups.get(entry.group).push(entry);
      else groups.set(entry.group, [entry]);
    }
    const rows = [];
    for (const [name, entries] of groups) {
      const folded = open.has(`-${name}`);
      // A field that changed as a whole is its own heading.
      const whole = entries.length === 1 && splitPointer(entries[0].path).length < 2;
      if (!whole) {
        const children = this.payload.groups[name];
        rows.push({ kind: "group", name, count: entries.length, folded, children });
      }
      if (whole || !folded) for (const entry of entries) rows.push({ kind: "change", entry });
    }
    if (noise.length) {
      rows.push({ kind: "noise", count: noise.length, folded: !open.has("noise") });
      if (open.has("noise")) for (const entry of noise) rows.push({ kind: "change", entry });
    }
    const { unchanged } = this.payload;
    // Where nothing changed at all, the list says so in a sentence.
    if (unchanged.length && !filtered && this.entries.length) {
      rows.push({ kind: "unchanged", names: unchanged, folded: !open.has("unchanged") });
      if (open.has("unchanged")) for (const name of unchanged) rows.push({ kind: "name", name });
    }
    return { rows, shown: passing.length };
  }
}

/** Return `[head, tail]` of a pointer: the tail, its last one or two tokens, is never cut. */
export function headAndTail(pointer) {
  const tokens = splitPointer(pointer);
  const last = pointer.lastIndexOf("/");
  // An index or a short key alone says little: its container's name goes with it.
  const short = tokens.length > 1 && tokens[tokens.length - 1].length < 8;
  const cut = short ? pointer.lastIndexOf("/", last - 1) : last;
  return [pointer.slice(0, Math.max(0, cut)), pointer.slice(Math.max(0, cut))];
}
