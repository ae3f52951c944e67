// The changes as rows: groups, nesting, filters, folds. Pure: node can run it.

import { Columns, firstMatch, prettyJson, splitPointer, STRING, TYPE_NAMES, unquote } from "./json.js";
import { unwrapped } from "./text.js";

export const OPS = ["add", "remove", "replace", "move"];
export const WORDS = { add: "added", remove: "removed", replace: "changed", move: "moved" };
export const SIGNS = { add: "+", remove: "−", replace: "~", move: "→" };
// Lines of an unfolded value that stand in the list before it is asked for more.
const LINES = 12;

/** Whether a model was shown something, or would be: only what is recorded says that it was. */
export function shownModal(observation) {
  return observation === "computed" ? "would be" : "was";
}

/** A value that travelled as JSON text, or as `[beginning, length, type]` when it was too long. */
export class Value {
  constructor(wire) {
    this.cut = Array.isArray(wire) ? { length: wire[1], type: wire[2] } : null;
    this.raw = this.cut ? wire[0] : wire;
    this.isText = !this.cut && this.raw.startsWith('"');
    this.isContainer = /^[[{]/.test(this.raw);
  }

  /** One line for a cell: strings without quotes, all else as JSON, what wraps it first. */
  get line() {
    this.oneLine ??= this.isText ? unquote(this.raw) : unwrapped(this.raw);
    return this.oneLine;
  }

  /** The whole value for reading. */
  get whole() {
    this.pretty ??= this.isContainer && !this.cut ? indented(this.raw) : this.cut ? this.raw : this.line;
    return this.pretty;
  }

  get type() {
    if (this.cut) return this.cut.type;
    if (this.isContainer) return this.raw[0] === "{" ? "object" : "array";
    if (/^-?\d+$/.test(this.raw)) return "integer";
    const columns = new Columns();
    columns.read(this.raw);
    return columns.kind[0] === STRING ? "string" : TYPE_NAMES[columns.kind[0]];
  }

  /** The JSON that a text holds, for reading, members by name; null where it holds none. */
  get inside() {
    if (this.parsed === undefined) this.parsed = this.isText ? jsonIn(this.line) : null;
    return this.parsed;
  }
}

function indented(json, sorted = false) {
  const columns = new Columns();
  columns.read(json);
  return prettyJson(columns, 0, Infinity, sorted);
}

function jsonIn(text) {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    JSON.parse(text);
    return indented(text.trim(), true);
  } catch {
    return null;
  }
}

/** Return the pointers above `pointer`, the nearest first, the root not among them. */
export function* above(pointer) {
  for (let cut = pointer.lastIndexOf("/"); cut > 0; cut = pointer.lastIndexOf("/", cut - 1)) yield pointer.slice(0, cut);
}

/** Whether `pointer` or a place above it is among `places`. */
export function isUnder(pointer, places) {
  if (places.has(pointer)) return true;
  for (const place of above(pointer)) if (places.has(place)) return true;
  return false;
}

export class Changes {
  constructor(payload) {
    this.payload = payload;
    const written = payload.written ?? {};
    this.named = new Map();
    const given = typeof payload.rows === "string" ? JSON.parse(payload.rows) : payload.rows;
    this.entries = given.map((row, index) => {
      const group = row.path.slice(1).split("/", 1)[0];
      const entry = {
        ...row,
        index,
        group,
        nodes: Object.hasOwn(written, group) ? written[group] : [],
        old: row.old === undefined ? null : new Value(row.old),
        new: row.new === undefined ? null : new Value(row.new),
        seen: row.seen === undefined ? null : new Value(row.seen),
      };
      // What is removed and what is put in its place have one pointer: the second says its kind.
      entry.name = this.named.has(row.path) ? `${row.op}:${row.path}` : row.path;
      this.named.set(entry.name, entry);
      return entry;
    });
    this.nest();
    this.verdicts = [...new Set(this.entries.map((entry) => entry.verdict).filter(Boolean))];
    this.noisy = this.entries.filter((entry) => entry.noise).length;
  }

  /** Say of each change inside a moved item which move carries it. */
  nest() {
    const moves = this.entries.filter((entry) => entry.op === "move");
    if (!moves.length) return;
    const landed = new Map(moves.map((entry) => [entry.path, entry]));
    const left = new Map(moves.map((entry) => [entry.from, entry]));
    for (const entry of this.entries) {
      const moved = entry.op === "remove" ? left : landed;
      for (const place of above(entry.path)) {
        if (!moved.has(place)) continue;
        entry.carrier = moved.get(place);
        break;
      }
    }
  }

  plane(entry) {
    if (entry.plane === undefined) entry.plane = firstMatch(this.payload.planes ?? [], splitPointer(entry.path));
    return entry.plane;
  }

  /** How many of the changes that count are of each op, verdict, plane and node. */
  counts(ignored = new Set()) {
    const found = { ops: {}, verdicts: {}, planes: {}, nodes: {} };
    const add = (names, name) => (names[name] = (names[name] ?? 0) + 1);
    for (const entry of this.entries) {
      if (entry.noise || isUnder(entry.path, ignored)) continue;
      add(found.ops, entry.op);
      if (entry.verdict) add(found.verdicts, entry.verdict);
      if (this.plane(entry)) add(found.planes, this.plane(entry));
      for (const node of entry.nodes) add(found.nodes, node);
    }
    return found;
  }

  /** Return the entries that pass the filters; an empty set lets everything pass. */
  passing({ ops, verdicts, planes, nodes, query }, ignored = new Set()) {
    const wanted = query.toLowerCase();
    return this.entries.filter(
      (entry) =>
        (!ops.size || ops.has(entry.op)) &&
        (!verdicts.size || verdicts.has(entry.verdict)) &&
        (!planes.size || planes.has(this.plane(entry))) &&
        (!nodes.size || entry.nodes.some((node) => nodes.has(node))) &&
        (!ignored.size || !isUnder(entry.path, ignored)) &&
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
   * Return the rows to draw: a heading a group with its changes below it, then the folded noise
   * and the folded unchanged fields.
   *
   * `look` says how: `filters`, `open` (names of the folds that are open, of the groups that are
   * closed), `ignored` (pointers set aside), `byNode`, `unified`, and `known` (pointer → what was
   * unfolded there).
   */
  rows({ filters, open, ignored, byNode, unified, known }) {
    const passing = this.passing(filters, ignored);
    const filtered = isFiltered(filters);
    const groups = new Map();
    const noise = [];
    for (const entry of passing) {
      const name = byNode ? entry.nodes.join(", ") : entry.group;
      if (entry.noise) noise.push(entry);
      else if (groups.has(name)) groups.get(name).push(entry);
      else groups.set(name, [entry]);
    }
    const rows = [];
    const changes = (entries) => {
      for (const [entry, depth] of inMoves(entries)) rows.push(...changeRows(entry, depth, unified));
    };
    for (const [name, entries] of groups) {
      const folded = open.has(`-${name}`);
      // A field that changed as a whole is its own heading.
      const whole = !byNode && entries.length === 1 && splitPointer(entries[0].path).length < 2;
      const children = byNode ? null : this.payload.groups[name];
      if (!whole) rows.push({ kind: "group", name, byNode, count: entries.length, folded, children });
      if (whole || !folded) changes(entries);
      if (!whole && !folded && !filtered && children?.[1]) rows.push(...this.rest(name, children[1], open, known));
    }
    if (noise.length) {
      rows.push({ kind: "noise", count: noise.length, folded: !open.has("noise") });
      if (open.has("noise")) changes(noise);
    }
    const { unchanged } = this.payload;
    // Where nothing changed at all, the list says so in a sentence.
    if (unchanged.length && !filtered && this.entries.length) {
      rows.push({ kind: "unchanged", names: unchanged, folded: !open.has("unchanged") });
      if (open.has("unchanged")) for (const name of unchanged) rows.push(...unfolded(`/${name}`, `/${name}`, open, known));
    }
    return { rows, shown: passing.length };
  }

  /** The fold of what stayed inside a changed field, and what was asked for of it. */
  rest(name, count, open, known) {
    const pointer = `/${name}`;
    const fold = `rest:${pointer}`;
    const rows = [{ kind: "rest", fold, pointer, count, folded: !open.has(fold) }];
    if (open.has(fold)) {
      for (const [child] of known.get(fold)?.children ?? []) rows.push(...unfolded(child, child, open, known));
      const { left = 0, told } = known.get(fold) ?? {};
      if (told) rows.push({ kind: "note", text: told });
      if (left) rows.push({ kind: "note", text: `and ${left.toLocaleString("en")} more that are unchanged` });
    }
    return rows;
  }

  /** The tokens below the field `name` of the target that a change touched. */
  touched(name) {
    const start = `/${name}/`;
    const found = new Set();
    for (const { op, path } of this.entries) {
      if (op !== "remove" && path.startsWith(start)) found.add(splitPointer(path)[1]);
    }
    return [...found];
  }
}

export function isFiltered({ ops, verdicts, planes, nodes, query }) {
  return Boolean(ops.size || verdicts.size || planes.size || nodes.size || query);
}

/** Return `[entry, depth]` with the changes inside a moved item right below the move. */
function inMoves(entries) {
  if (!entries.some((entry) => entry.carrier)) return entries.map((entry) => [entry, 0]);
  const here = new Set(entries);
  const inside = new Map();
  for (const entry of entries) {
    if (!here.has(entry.carrier)) continue;
    if (inside.has(entry.carrier)) inside.get(entry.carrier).push(entry);
    else inside.set(entry.carrier, [entry]);
  }
  const found = [];
  const put = (entry, depth) => {
    found.push([entry, depth]);
    for (const child of inside.get(entry) ?? []) put(child, depth + 1);
  };
  for (const entry of entries) if (!here.has(entry.carrier)) put(entry, 0);
  return found;
}

/** One row a change; in the unified view one a side. */
function changeRows(entry, depth, unified) {
  if (!unified || entry.op === "move") return [{ kind: "change", entry, depth }];
  const rows = [];
  if (entry.old) rows.push({ kind: "change", entry, depth, side: "old", first: true });
  if (entry.new) rows.push({ kind: "change", entry, depth, side: "new", first: !entry.old });
  return rows;
}

/** The row of an unchanged place, and the lines of its value where it is open. */
function unfolded(pointer, label, open, known) {
  const fold = `same:${pointer}`;
  const value = known.get(pointer) ?? null;
  const rows = [{ kind: "name", pointer, label, fold, value, folded: !open.has(fold) }];
  if (!open.has(fold) || !(value instanceof Value)) return rows;
  const lines = value.whole.split("\n");
  const all = open.has(`all:${pointer}`);
  for (const text of all ? lines : lines.slice(0, LINES)) rows.push({ kind: "line", text, pointer });
  if (!all && lines.length > LINES) rows.push({ kind: "more", fold: `all:${pointer}`, count: lines.length - LINES });
  return rows;
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
