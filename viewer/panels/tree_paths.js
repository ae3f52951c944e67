// Names of a place and what a value looks like: pure words about one row. Node can run it.

import { ARRAY, NUMBER, OBJECT, STRING, TYPE_NAMES } from "./json.js";
import { ago, bytes, counted, wordCount } from "./text.js";

const SHORT_ESCAPES = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "'": "\\'", "\\": "\\\\" };

/** Return the normalised path of `row` (RFC 9535): `$['messages'][3]['content']`. */
export function jsonPath(tree, row) {
  const { parent } = tree.columns;
  const steps = [];
  const tokens = tree.tokens(row);
  for (let at = row, place = tokens.length - 1; parent[at] >= 0; at = parent[at], place -= 1) {
    steps.push(tree.columns.kind[parent[at]] === ARRAY ? `[${tokens[place]}]` : `['${pathName(tokens[place])}']`);
  }
  return `$${steps.reverse().join("")}`;
}

function pathName(token) {
  return token.replace(/[\u0000-\u001f'\\]/g, (character) => {
    return SHORT_ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** JSON Schema's word for a number written like this. */
export function numberType(raw) {
  if (/^-?(NaN|Infinity)/.test(raw)) return "number (not JSON)";
  return /^-?\d+$/.test(raw) ? "integer" : "number";
}

/** Return type and size of `row` in words. */
export function sizeWords(tree, row) {
  const { columns } = tree;
  const kind = columns.kind[row];
  const parts = [kind === NUMBER ? numberType(columns.raw(row)) : TYPE_NAMES[kind]];
  if (columns.isContainer(row)) {
    parts.push(counted(columns.count[row], kind === OBJECT ? "field" : "item"));
    parts.push(`${bytes(new Blob([columns.raw(row)]).size)} as JSON`);
  }
  if (kind === STRING) {
    const text = tree.text(row);
    if (text.length > 40 && text.length < 2_000_000) parts.push(counted(wordCount(text), "word"));
    parts.push(counted(characters(text), "character"));
  }
  return parts;
}

function characters(text) {
  let pairs = 0;
  for (const match of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) pairs += match.length;
  return text.length - pairs;
}

const ISO = /^(\d{4})-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;
// Powers of ten between a second and what Unix times are counted in, by how many digits they have.
const EPOCHS = { 10: ["seconds", 1_000], 13: ["milliseconds", 1], 16: ["microseconds", 1e-3], 19: ["nanoseconds", 1e-6] };
const EARLIEST = Date.UTC(2001, 8, 9);
const LATEST = Date.UTC(2100, 0, 1);

/** Return what moment a value names, as `[label, text]` lines; none where it names none. */
export function momentLines(kind, text, now = Date.now()) {
  if (kind === STRING) {
    const match = ISO.exec(text);
    if (!match) return [];
    const timed = /[T ]/.test(text);
    const when = new Date(timed && !match[2] ? `${text.replace(" ", "T").replace(",", ".")}Z` : text.replace(" ", "T").replace(",", "."));
    if (Number.isNaN(when.getTime())) return [];
    if (!timed) return [["date", `${weekday(when)}, ${ago(when, now)}`]];
    if (!match[2]) return [["time", "without a zone: local or UTC is not told"], ["as UTC", spoken(when, now)]];
    return both(when, now);
  }
  const digits = kind === NUMBER ? /^(\d+)(?:\.\d+)?$/.exec(text)?.[1] : undefined;
  const unit = digits && EPOCHS[digits.length];
  if (!unit) return [];
  const when = new Date(Number(text) * unit[1]);
  if (!(when.getTime() >= EARLIEST && when.getTime() < LATEST)) return [];
  return [["read as", `Unix time in ${unit[0]}`], ...both(when, now)];
}

function both(when, now) {
  const local = when.toLocaleString("en", { dateStyle: "medium", timeStyle: "long" });
  return [["local", local], ["UTC", spoken(when, now)]];
}

function spoken(when, now) {
  return `${when.toISOString().replace("T", " ")} · ${ago(when, now)}`;
}

function weekday(when) {
  return when.toLocaleDateString("en", { weekday: "long", timeZone: "UTC" });
}

const SIBLINGS = 50;
const COMPARED = 5_000;

/**
 * Return the values of the path of `row` in the items beside its own: `{list, path, values, total,
 * compared, distinct}`, `values` the first 50 as `[item's index, row or null]`; null where it stands
 * in no list of several items.
 */
export function sameAcrossSiblings(tree, row) {
  const { parent, kind, count, end } = tree.columns;
  if (tree.isRemoved(row)) return null;
  const path = [];
  let at = row;
  // The innermost list in which `row` stands below an item, and which has other items.
  while (parent[at] >= 0 && (at === row || kind[parent[at]] !== ARRAY || count[parent[at]] < 2)) {
    path.unshift(String(tree.columns.key[at]));
    at = parent[at];
  }
  const list = parent[at];
  if (list < 0) return null;
  const values = [];
  const different = new Set();
  let compared = 0;
  for (let place = list + 1; place < end[list] && compared < COMPARED; place = end[place]) {
    if (tree.removedFrom.has(place)) continue;
    let found = place;
    for (const token of path) found = found === null ? null : tree.child(found, token);
    different.add(found === null ? null : tree.columns.raw(found));
    if (values.length < SIBLINGS) values.push([compared, found]);
    compared += 1;
  }
  return { list, path, values, compared, total: count[list], distinct: different.size };
}
