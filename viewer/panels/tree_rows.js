// One row of the state tree, and the reader below it.

import { appendParts, appendText, copyButton, element } from "./dom.js";
import { CUT, NUMBER, OBJECT, STRING, TYPE_NAMES, Columns, prettyJson } from "./json.js";
import { beginning, counted, folded, nearDifference, unwrapped, wordCount, wordDifference } from "./text.js";
import { OP_SIGNS, OP_WORDS, REMOVED, REPLACED } from "./tree_model.js";

const PREVIEW = 220;
const OLD_PREVIEW = 48;
const DEEPEST_INDENT = 24;
const INDENT = 16;
const READER_LIMIT = 60_000;

/** Return the element of `row`. `view` is the panel: its tree, what is open, the search. */
export function treeRow(view, row) {
  const { tree } = view;
  const { columns } = tree;
  const op = tree.op.get(row) ?? 0;
  const tone = tree.tone[row];
  const container = columns.isContainer(row);
  const broken = tree.violations.get(row);
  const level = columns.depth[row];
  const node = element("div", {
    class: `row ${OP_WORDS[tone]}${tree.changesBelow[row] > 0 && !tone ? " within" : ""}${row === view.selected ? " selected" : ""}`,
    role: "treeitem",
    id: `row-${row}`,
    "data-row": row,
    "aria-level": level + 1,
    "aria-selected": row === view.selected,
    "aria-expanded": container ? String(view.isOpen(row)) : null,
  });
  node.append(
    element("span", { class: "indent", style: `width:${Math.min(level, DEEPEST_INDENT) * INDENT}px` }),
    element("span", { class: container ? `caret ${view.isOpen(row) ? "open" : ""}` : "caret none" }),
  );
  if (broken) node.append(element("span", { class: "wrong", title: violationText(broken) }, "!"));
  node.append(keyOf(view, row), valueOf(view, row, op));
  if (op) node.append(element("span", { class: "change" }, `${OP_SIGNS[op]} ${OP_WORDS[op]}`));
  const { from, alike } = tree.edit.get(row) ?? {};
  if (alike) node.append(element("span", { class: "below alike", title: alike }, "looks the same"));
  if (from) node.append(element("span", { class: "from" }, "from "), plain("from mono", from));
  if (container && !view.isOpen(row)) node.append(...hidden(tree, row, op, broken));
  const side = meaning(tree, row);
  if (side) node.append(side);
  return node;
}

function hidden(tree, row, op, broken) {
  const changes = tree.changesBelow[row] - (op ? 1 : 0);
  const wrong = tree.brokenBelow[row] - (broken ? 1 : 0);
  return [
    changes ? element("span", { class: "below" }, counted(changes, "change")) : null,
    wrong ? element("span", { class: "below wrong-text" }, counted(wrong, "violation")) : null,
  ].filter(Boolean);
}

function plain(name, text) {
  return appendText(element("span", { class: `${name} text` }), text);
}

function keyOf(view, row) {
  const { columns } = view.tree;
  const key = columns.key[row];
  if (key === null) return element("span", { class: "key root" }, "state");
  const index = view.tree.isIndex(row);
  const node = element("span", { class: `key text${index ? " index" : ""}` });
  highlighted(node, beginning(String(key), 120), index ? "" : view.query);
  if (key === "") node.append(element("span", { class: "unseen" }, "empty key"));
  return node;
}

function valueOf(view, row, op) {
  const { tree } = view;
  const { columns } = tree;
  const kind = columns.kind[row];
  const box = element("span", { class: "value" });
  if (columns.isContainer(row)) {
    const noun = kind === OBJECT ? "field" : "item";
    appendOld(view, box, row, null);
    box.append(element("span", { class: "size" }, `${kind === OBJECT ? "{" : "["}${counted(columns.count[row], noun)}${kind === OBJECT ? "}" : "]"}`));
    if (!view.isOpen(row) && columns.count[row]) {
      const inside = unwrapped(columns.rawStart(row, PREVIEW * 2));
      box.append(appendText(element("span", { class: "inside text" }), beginning(inside, PREVIEW)));
    }
    return box;
  }
  if (kind === CUT) {
    box.append(
      element("span", { class: "size" }, `${counted(columns.count[row], "character")}, shown cut: `),
      plain("scalar", beginning(columns.raw(row), PREVIEW)),
    );
    return box;
  }
  const full = tree.text(row);
  let shown = view.query ? nearHit(full, view.query) : beginning(full, PREVIEW);
  if (op === REPLACED) shown = appendOld(view, box, row, full) ?? shown;
  const scalar = element("span", { class: `scalar text ${TYPE_NAMES[kind]}` });
  if (kind === STRING) scalar.append(element("span", { class: "quote" }, "“"));
  highlighted(scalar, shown, view.query);
  if (kind === STRING) scalar.append(element("span", { class: "quote" }, "”"));
  box.append(scalar);
  if (kind === STRING && full.length > PREVIEW) {
    box.append(element("span", { class: "size" }, ` ${counted(full.length, "character")}`));
  }
  return box;
}

/** Put the old value before the new one; return the part of the new one worth showing. */
function appendOld(view, box, row, full) {
  const old = view.oldValue(row);
  if (!old) return null;
  const [before, after] =
    old.kind === STRING && full !== null && view.tree.isText(row)
      ? nearDifference(old.line, full, OLD_PREVIEW)
      : [beginning(old.line, OLD_PREVIEW), null];
  const quote = old.kind === STRING ? ["“", "”"] : ["", ""];
  const was = element("span", { class: "old text" }, quote[0]);
  appendText(was, before);
  was.append(quote[1]);
  if (old.kind === STRING && full !== null && !view.tree.isText(row)) was.title = "was a string";
  box.append(was, element("span", { class: "arrow", "aria-label": "now" }, " → "));
  return after;
}

function nearHit(text, query) {
  const at = text.toLowerCase().indexOf(query.toLowerCase());
  if (at < PREVIEW - query.length) return beginning(text, PREVIEW);
  return `…${beginning(text.slice(Math.max(0, at - 40)), PREVIEW)}`;
}

/** Append `text` to `node` with each occurrence of `query` marked. */
export function highlighted(node, text, query) {
  if (!query) return appendText(node, text);
  const lower = text.toLowerCase();
  const wanted = query.toLowerCase();
  // Lower case of a few letters is longer: then places do not agree, and nothing is marked.
  if (lower.length !== text.length) return appendText(node, text);
  let from = 0;
  for (let hit = lower.indexOf(wanted); hit >= 0; hit = lower.indexOf(wanted, from)) {
    appendText(node, text.slice(from, hit));
    node.append(appendText(element("mark"), text.slice(hit, hit + wanted.length)));
    from = hit + wanted.length;
  }
  return appendText(node, text.slice(from));
}

/** Owner and plane, where they differ from those of the place above. */
function meaning(tree, row) {
  const above = tree.columns.parent[row];
  if (above < 0) return null;
  const owner = tree.owner(row);
  const plane = tree.plane(row);
  const owned = owner && owner !== tree.owner(above);
  const placed = plane && plane !== tree.plane(above);
  if (!owned && !placed) return null;
  return element(
    "span",
    { class: "meaning" },
    owned ? element("span", { title: "who may write here" }, owner) : null,
    owned && placed ? " · " : null,
    placed ? element("span", { title: "plane" }, plane) : null,
  );
}

function violationText(entries) {
  return entries.map(({ message }) => message).join("\n");
}

/** Path bar: the way to the selected row, what it is, and copies of it. */
export function pathBar(view, row) {
  const { tree } = view;
  const { columns } = tree;
  const way = [];
  for (let at = row; at >= 0; at = columns.parent[at]) way.unshift(at);
  const crumbs = way.map((at) =>
    appendText(
      element("button", { type: "button", class: "crumb", tabindex: -1, onclick: () => view.select(at, true) }),
      columns.key[at] === null ? "state" : beginning(String(columns.key[at]), 40),
    ),
  );
  const path = element("span", { class: "crumbs mono", "data-pointer": tree.pointer(row) });
  crumbs.forEach((crumb, place) => path.append(place ? element("span", { class: "muted" }, "/") : "", crumb));
  return [
    path,
    element("span", { class: "what muted" }, ...describe(tree, row)),
    copyButton("copy pointer", () => tree.pointer(row)),
    copyButton("copy value", () => (tree.isText(row) ? tree.text(row) : prettyJson(columns, row))),
    element(
      "button",
      { type: "button", "aria-pressed": String(view.reading), title: "Read the whole value (Enter)", onclick: () => view.read(!view.reading) },
      "read",
    ),
  ];
}

function describe(tree, row) {
  const { columns } = tree;
  const kind = columns.kind[row];
  const parts = [kind === NUMBER ? numberType(columns.raw(row)) : TYPE_NAMES[kind]];
  if (columns.isContainer(row)) parts.push(counted(columns.count[row], kind === OBJECT ? "field" : "item"));
  if (kind === STRING) {
    const text = tree.text(row);
    if (text.length > 40) parts.push(counted(wordCount(text), "word"));
    parts.push(counted([...text].length, "character"));
  }
  const owner = tree.owner(row);
  const plane = tree.plane(row);
  if (owner) parts.push(`written by ${owner}`);
  if (plane) parts.push(plane);
  return parts.flatMap((part, place) => (place ? [" · ", part] : [part]));
}

/** JSON Schema's word for a number written like this. */
export function numberType(raw) {
  if (/^-?(NaN|Infinity)/.test(raw)) return "number (not JSON)";
  return /^-?\d+$/.test(raw) ? "integer" : "number";
}

/** What is said about a row: violations and the change, each a line. */
export function notesOn(view, row) {
  const { tree } = view;
  const lines = (tree.violations.get(row) ?? []).map(({ pointer, message }) => {
    const line = element("div", { class: "note wrong-text" }, "! ");
    if (pointer !== tree.pointer(row)) line.append(plain("mono", pointer), ": ");
    return appendText(line, message);
  });
  const { from, alike } = tree.edit.get(row) ?? {};
  if (alike) lines.push(appendText(element("div", { class: "note" }), alike));
  if (from) lines.push(appendText(element("div", { class: "note" }, "moved from "), from));
  if (tree.op.get(row) === REMOVED) lines.push(element("div", { class: "note" }, "removed: its pointer is one of the base"));
  return lines;
}

/** The whole value, wrapped; where it changed, the old one beside it with words marked. */
export function readerPages(view, row) {
  const { tree } = view;
  const { columns } = tree;
  const limit = view.readAll ? Infinity : READER_LIMIT;
  const full = tree.isText(row) ? tree.text(row) : prettyJson(columns, row, limit);
  const old = view.oldValue(row);
  if (!old) return [page(view, "", full)];
  const [was, is] = wordDifference(beginning(old.whole, limit), beginning(full, limit));
  return [page(view, "was", old.whole, was, "del"), page(view, "is", full, is, "ins")];
}

function page(view, title, full, parts = [[full, false]], tag = "mark") {
  const cut = !view.readAll && full.length > READER_LIMIT;
  const unfold = () => view.showAll();
  const shown = cut && parts.length === 1 ? [[beginning(full, READER_LIMIT), parts[0][1]]] : parts;
  const body = appendParts(
    element("div", { class: "words text", dir: "auto" }),
    view.readAll ? shown : folded(shown),
    { tag, lines: true, unfold },
  );
  const label = `show all ${counted(full.length, "character")}`;
  return element(
    "div",
    { class: "page" },
    title ? element("h3", {}, title) : null,
    body,
    cut ? element("button", { type: "button", onclick: unfold }, label) : null,
  );
}

/**
 * Return an old value as `{kind, line, whole}`: for a row and for the reader. `wire` is JSON text,
 * or `[beginning, length, type]` of one that was too long to send.
 */
export function oldValueOf(wire) {
  if (Array.isArray(wire)) {
    const line = `${wire[0]}… (${counted(wire[1], "character")})`;
    return { kind: CUT, line, whole: line };
  }
  const columns = new Columns();
  columns.read(wire);
  const container = columns.isContainer(0);
  const line = columns.shown(0);
  return { kind: columns.kind[0], line, whole: container ? prettyJson(columns, 0) : line };
}
