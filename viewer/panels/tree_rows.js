// One row of the state tree.

import { appendText, element } from "./dom.js";
import { CUT, OBJECT, STRING, TYPE_NAMES, Columns, prettyJson } from "./json.js";
import { beginning, counted, nearDifference, unwrapped } from "./text.js";
import { OP_SIGNS, OP_WORDS, REMOVED, REPLACED } from "./tree_model.js";

const PREVIEW = 220;
const OLD_PREVIEW = 48;
const DEEPEST_INDENT = 24;
const INDENT = 16;

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
    "aria-selected": String(row === view.selected),
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
  const text = beginning(String(key), 120);
  marked(node, text, index ? [] : (view.finder?.inKey(row, text) ?? []));
  if (key === "") node.append(element("span", { class: "unseen" }, "empty key"));
  return node;
}

/** The value of `row` for one line: what it held before and holds now; `told` also inside, if open. */
export function valueOf(view, row, op, told = !view.isOpen(row)) {
  const { tree } = view;
  const { columns } = tree;
  const kind = columns.kind[row];
  const box = element("span", { class: "value" });
  if (columns.isContainer(row)) {
    const noun = kind === OBJECT ? "field" : "item";
    appendOld(view, box, row, null);
    box.append(element("span", { class: "size" }, `${kind === OBJECT ? "{" : "["}${counted(columns.count[row], noun)}${kind === OBJECT ? "}" : "]"}`));
    if (told && columns.count[row]) {
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
  let [shown, skipped] = nearHit(full, view.finder?.first(row, full) ?? -1);
  if (op === REPLACED) {
    const part = appendOld(view, box, row, full);
    if (part !== null) [shown, skipped] = [part, null];
  }
  const scalar = element("span", { class: `scalar text ${TYPE_NAMES[kind]}` });
  if (kind === STRING) scalar.append(element("span", { class: "quote" }, "“"));
  marked(scalar, shown, skipped === null ? [] : hitsIn(view.finder, row, shown, skipped));
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

/** Return the beginning of `text`, or what stands around `hit`, and how far it was moved. */
function nearHit(text, hit) {
  if (hit < PREVIEW - 40) return [beginning(text, PREVIEW), 0];
  const from = Math.max(0, hit - 40);
  return [`…${beginning(text.slice(from), PREVIEW)}`, from - 1];
}

function hitsIn(finder, row, shown, skipped) {
  if (!finder) return [];
  if (finder.text !== undefined) return finder.inValue(row, shown);
  return finder.inValue(row).map(([from, to]) => [from - skipped, Math.min(to - skipped, shown.length)]);
}

/** Append `text` to `node` with `[from, to]` of it marked. */
export function marked(node, text, places) {
  let from = 0;
  for (const [start, end] of places) {
    if (start < from || start >= text.length) continue;
    appendText(node, text.slice(from, start));
    node.append(appendText(element("mark"), text.slice(start, end)));
    from = end;
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
