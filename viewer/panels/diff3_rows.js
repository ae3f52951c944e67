// The rows of the diff: changes, headings, folds, and the values that were unfolded.

import { appendText, element } from "./dom.js";
import { splitPointer } from "./json.js";
import { beginning, counted } from "./text.js";
import { quoted, remarks, seenWords, sides, verdictChip, writtenBy } from "./diff3_cells.js";
import { SIGNS, Value, WORDS, headAndTail } from "./diff3_model.js";

const PREVIEW = 160;
const LEVELS = { group: 1, noise: 1, unchanged: 1, change: 2, rest: 2, note: 3, name: 3, line: 4, more: 4 };

/** Return the element of the row at `place`. `view` is the panel. */
export function diffRow(view, place) {
  const row = view.rows[place];
  const { entry } = row;
  const selected = place === view.place || Boolean(entry && entry === view.entry);
  const looks = [row.kind, entry?.op, row.side, entry?.noise && "noisy", selected && "selected"];
  const node = element("div", {
    class: `row ${looks.filter(Boolean).join(" ")}`,
    role: "row",
    id: `diff-row-${place}`,
    "data-place": place,
    "aria-rowindex": place + 2,
    "aria-level": LEVELS[row.kind] + (row.depth ?? 0),
    "aria-selected": String(selected),
    "aria-expanded": row.folded === undefined ? null : String(!row.folded),
  });
  if (row.kind !== "change") node.append(...otherCells(view, row));
  else node.append(...(view.look === "unified" ? unifiedCells(view, row) : splitCells(view, row)));
  return node;
}

function otherCells(view, row) {
  if (row.kind === "name") return nameCells(row);
  const cell = element("div", { class: "cell fold", role: "gridcell" });
  if (row.kind === "line") return [appendText(cell, row.text)];
  if (row.kind === "note") return [appendText(cell, row.text)];
  if (row.kind === "more") {
    cell.append(element("span", { class: "link" }, `show ${counted(row.count, "more line")}`));
    return [cell];
  }
  cell.append(caret(row));
  if (row.kind === "group") cell.append(...headingParts(view, row));
  else if (row.kind === "noise") {
    cell.append(`${counted(row.count, "change")} of noise`, element("span", { class: "muted" }, " · fields that the profile says change at every step"));
  } else if (row.kind === "rest") {
    cell.append(appendText(element("span", { class: "text" }), `${row.count.toLocaleString("en")} unchanged inside ${row.pointer}`));
  } else {
    cell.append(`${counted(row.names.length, "field")} unchanged`);
    cell.append(appendText(element("span", { class: "muted text" }), ` · ${beginning(row.names.map(unescaped).join(", "), 160)}`));
  }
  return [cell];
}

function caret(row) {
  return element("span", { class: `caret ${row.folded ? "" : "open"}` });
}

/** What stands in the heading of a group: the field or the node, how much, by what it was paired. */
export function headingParts(view, row) {
  const { payload } = view.changes;
  const parts = [];
  if (row.byNode) parts.push(appendText(element("b", { class: "text" }), row.name || "no node known"));
  else parts.push(appendText(element("b", { class: "text mono" }), row.name ? `/${row.name}` : "whole state"));
  parts.push(element("span", { class: "muted" }, counted(row.count, "change")));
  if (row.byNode) return parts;
  const pointer = `/${row.name}`;
  parts.push(...writtenBy(payload.written?.[row.name]));
  if (row.children) parts.push(element("span", { class: "muted" }, ` · ${row.children[1].toLocaleString("en")} of ${row.children[0].toLocaleString("en")} inside unchanged`));
  const by = payload.paired?.[pointer];
  if (by) parts.push(appendText(element("span", { class: "muted paired", title: "how the items of both sides were brought together" }), ` · items paired by ${by}`));
  const who = [view.owner(pointer), view.plane(pointer)].filter(Boolean).join(" · ");
  if (who) parts.push(appendText(element("span", { class: "meaning" }), who));
  return parts;
}

/** An unchanged place with the beginning of its value, once that is known. */
function nameCells(row) {
  const path = element("div", { class: "cell path mono", role: "gridcell" }, caret(row));
  path.append(appendText(element("span", { class: "tail text" }), row.label));
  const cell = element("div", { class: "cell value mono", role: "gridcell" });
  if (row.value instanceof Value) cell.append(...quoted(row.value, [[beginning(row.value.line, PREVIEW), false]], "ins"));
  else if (row.value) cell.append(appendText(element("span", { class: "muted" }), row.value.told));
  return [path, cell];
}

/** The name that stands in a pointer as `token`. */
function unescaped(token) {
  return splitPointer(`/${token}`)[0];
}

function splitCells(view, row) {
  const { entry } = row;
  if (entry.op === "move") return [opCell(entry), pathCell(view, row), moveCell(entry, "both"), seenCell(view, entry)];
  const told = remarks(entry);
  // What is told beside the new value takes its part of the width.
  const taken = told.reduce((sum, chip) => sum + chip.textContent.length + 3, 0);
  const [was, is] = sides(entry, PREVIEW, Math.max(12, view.controls.room - taken));
  return [
    opCell(entry),
    pathCell(view, row),
    valueCell("base", entry.old, was),
    valueCell("target", entry.new, is, told),
    seenCell(view, entry),
  ];
}

function unifiedCells(view, row) {
  const { entry, side, first } = row;
  const lone = entry.op === "move";
  const sign = lone ? SIGNS.move : side === "old" ? "−" : "+";
  const word = lone ? "moved" : side === "old" ? "old value" : "new value";
  const op = element("div", { class: "cell op", role: "gridcell" }, element("b", {}, sign), element("span", { class: "visually-hidden" }, word));
  if (lone) return [op, pathCell(view, row), moveCell(entry, "both"), seenCell(view, entry)];
  const path = first ? pathCell(view, row) : element("div", { class: "cell path again", role: "gridcell", title: entry.path });
  const parts = sides(entry, PREVIEW * 2, view.controls.room)[side === "old" ? 0 : 1];
  const value = side === "old" ? valueCell("base", entry.old, parts) : valueCell("target", entry.new, parts, remarks(entry));
  const last = side === "new" || entry.new === null;
  const seen = last ? seenCell(view, entry) : element("div", { class: "cell seen", role: "gridcell" });
  return [op, path, value, seen];
}

function opCell(entry) {
  return element("div", { class: "cell op", role: "gridcell" }, element("b", {}, SIGNS[entry.op]), element("span", { class: "word" }, ` ${WORDS[entry.op]}`));
}

function pathCell(view, row) {
  const { entry, depth } = row;
  const [head, tail] = headAndTail(entry.path);
  const nested = depth ? { style: `padding-left: ${8 + 14 * depth}px` } : {};
  const cell = element("div", { class: `cell path mono${depth ? " nested" : ""}`, role: "gridcell", title: entry.path || "the whole state", ...nested });
  if (depth) cell.append(element("span", { class: "elbow", "aria-hidden": "true" }, "└ "), element("span", { class: "visually-hidden" }, "inside the moved item "));
  cell.append(appendText(element("span", { class: "head text" }), head));
  // The last name is never cut: in a narrow column what stands before it gives way.
  const last = Math.max(0, tail.lastIndexOf("/"));
  if (last) cell.append(appendText(element("span", { class: "middle text" }), tail.slice(0, last)));
  cell.append(appendText(element("span", { class: "tail text" }), tail.slice(last) || "(whole state)"));
  // A field that changed as a whole has no heading that could say it.
  if (!view.byNode && splitPointer(entry.path).length === 1) cell.append(...writtenBy(entry.nodes));
  return cell;
}

function moveCell(entry, side) {
  const cell = element("div", { class: `cell ${side} mono`, role: "gridcell", "aria-colspan": 2 });
  cell.append(
    appendText(element("span", { class: "chip" }, "from "), entry.from),
    appendText(element("span", { class: "chip" }, "to "), entry.path),
  );
  if (entry.new) cell.append(...quoted(entry.new, [[beginning(entry.new.line, PREVIEW), false]], "ins"));
  return cell;
}

function valueCell(side, value, parts, more = []) {
  const cell = element("div", { class: `cell ${side} mono${value ? "" : " absent"}`, role: "gridcell" });
  // What is beside the value stands first: a long value must not push it out of sight.
  if (value) cell.append(...more, ...quoted(value, parts, side === "base" ? "del" : "ins"));
  else cell.append(element("span", { class: "visually-hidden" }, "absent"));
  return cell;
}

function seenCell(view, entry) {
  const cell = element("div", { class: "cell seen mono", role: "gridcell" });
  if (entry.verdict) cell.append(verdictChip(entry.verdict));
  const seen = seenWords(entry, PREVIEW, view.controls.room >> 1);
  if (seen) cell.append(seen);
  return cell;
}
