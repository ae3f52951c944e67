// The rows of the diff and the detail pane below them.

import { appendParts, appendText, copyButton, element } from "./dom.js";
import { firstMatch, splitPointer } from "./json.js";
import { beginning, counted, folded, nearDifference, wordCount, wordDifference } from "./text.js";
import { SIGNS, WORDS, headAndTail } from "./diff3_model.js";

const PREVIEW = 160;
const READER_LIMIT = 60_000;
const VERDICT_LOOKS = {
  shown: "green",
  stale: "orange",
  "not shown": "violet",
  leak: "red",
  "would be shown": "green",
  "would not be shown": "violet",
};

/** Return the element of the row at `place`. `view` is the panel. */
export function diffRow(view, place) {
  const row = view.rows[place];
  const node = element("div", {
    class: `row ${row.kind} ${row.entry?.op ?? ""} ${row.entry?.noise ? "noisy" : ""}${place === view.place ? " selected" : ""}`,
    role: "row",
    id: `diff-row-${place}`,
    "data-place": place,
    "aria-rowindex": place + 2,
    "aria-selected": String(place === view.place),
  });
  if (row.kind === "change") node.append(...changeCells(view, row.entry));
  else node.append(foldCell(view, row));
  return node;
}

function foldCell(view, row) {
  const cell = element("div", { class: "cell fold", role: "gridcell" });
  if (row.kind === "name") return appendText(cell, `/${row.name}`);
  cell.append(element("span", { class: `caret ${row.folded ? "" : "open"}` }));
  if (row.kind === "group") {
    cell.append(appendText(element("b", { class: "text mono" }), row.name ? `/${row.name}` : "whole state"));
    cell.append(element("span", { class: "muted" }, ` ${counted(row.count, "change")}`), ...writtenBy(view, row.name));
    if (row.children) cell.append(element("span", { class: "muted" }, ` · ${row.children[1].toLocaleString("en")} of ${row.children[0].toLocaleString("en")} inside unchanged`));
    const who = [view.owner(`/${row.name}`), view.plane(`/${row.name}`)].filter(Boolean).join(" · ");
    if (who) cell.append(element("span", { class: "meaning" }, who));
  } else if (row.kind === "noise") {
    cell.append(`${counted(row.count, "change")} of noise`, element("span", { class: "muted" }, " · fields that the profile says change at every step"));
  } else {
    cell.append(`${counted(row.names.length, "field")} unchanged`);
    cell.append(appendText(element("span", { class: "muted text" }), ` · ${beginning(row.names.map(unescaped).join(", "), 160)}`));
  }
  return cell;
}

/** The name that stands in a pointer as `token`. */
function unescaped(token) {
  return splitPointer(`/${token}`)[0];
}

/** The nodes whose stored writes changed a top-level field, as a chip; nothing where none is known. */
function writtenBy(view, name) {
  const { written } = view.changes.payload;
  if (!Object.hasOwn(written ?? {}, name)) return [];
  const title = "the node whose stored write made this change";
  return [" ", appendText(element("span", { class: "chip writer", title }, "by "), written[name].join(", "))];
}

function changeCells(view, entry) {
  const [was, is] = sides(entry, PREVIEW);
  return [
    element("div", { class: "cell op", role: "gridcell" }, element("b", {}, SIGNS[entry.op]), ` ${WORDS[entry.op]}`),
    pathCell(view, entry),
    valueCell("base", entry.old, was, entry.op === "move" ? entry.from : null),
    valueCell("target", entry.new, is, null, extras(entry)),
    seenCell(view, entry),
  ];
}

function pathCell(view, entry) {
  const [head, tail] = headAndTail(entry.path);
  const cell = element("div", { class: "cell path mono", role: "gridcell", title: entry.path || "the whole state" });
  cell.append(appendText(element("span", { class: "head text" }), head));
  cell.append(appendText(element("span", { class: "tail text" }), tail || "(whole state)"));
  // A field that changed as a whole has no heading that could say it.
  if (splitPointer(entry.path).length === 1) cell.append(...writtenBy(view, entry.group));
  return cell;
}

function extras(entry) {
  const found = [];
  if (entry.delta) found.push(element("span", { class: "chip delta" }, entry.delta.replace("-", "−")));
  if (entry.same) found.push(element("span", { class: "chip" }, "same number"));
  if (entry.alike) found.push(element("span", { class: "chip alike", title: entry.alike }, "looks the same"));
  if (entry.op === "replace" && entry.from) found.push(appendText(element("span", { class: "chip" }, "was at "), entry.from));
  return found;
}

function valueCell(side, value, parts, from = null, more = []) {
  const cell = element("div", { class: `cell ${side} mono${value || from ? "" : " absent"}`, role: "gridcell" });
  if (from) cell.append(appendText(element("span", { class: "chip" }, "at "), from), " ");
  // What is beside the value stands first: a long value must not push it out of sight.
  cell.append(...more);
  if (value) cell.append(...quoted(value, parts, side === "base" ? "del" : "ins"));
  else if (!from) cell.append(element("span", { class: "visually-hidden" }, "absent"));
  return cell;
}

function quoted(value, parts, tag) {
  const body = appendParts(element("span", { class: "text" }), parts, { tag });
  if (!value.isText) return [body];
  return [element("span", { class: "quote" }, "“"), body, element("span", { class: "quote" }, "”")];
}

/** Return the parts of both sides, cut near their first difference to `width` characters. */
function sides(entry, width, pick = (value) => value.line) {
  const old = entry.old && pick(entry.old);
  const now = entry.new && pick(entry.new);
  if (entry.op === "replace" && entry.old.isText === entry.new.isText) {
    const [before, after] = nearDifference(old, now, width);
    if (comparable(entry)) return wordDifference(before, after);
    return [[[before, true]], [[after, true]]];
  }
  const alone = (text) => (text === null ? [] : [[beginning(text, width), false]]);
  return [alone(old), alone(now)];
}

// Word by word for text and for containers; a number or a word like `true` changed as a whole.
function comparable(entry) {
  return entry.old.isText || /^[[{]/.test(entry.old.raw);
}

function seenCell(view, entry) {
  const cell = element("div", { class: "cell seen mono", role: "gridcell" });
  if (entry.verdict) cell.append(verdictChip(entry.verdict));
  if (!entry.seen) return cell;
  const same = entry.new && entry.seen.raw === entry.new.raw;
  const text = element("span", { class: `text${same ? " muted" : ""}` });
  cell.append(appendText(text, beginning(entry.seen.line, PREVIEW)));
  return cell;
}

/** The verdict as a word in its colour. */
export function verdictChip(verdict) {
  return element("span", { class: `verdict ${verdictLook(verdict)}` }, verdict);
}

/** The colour class of a verdict; a word that is not known has none. */
export function verdictLook(verdict) {
  return Object.hasOwn(VERDICT_LOOKS, verdict) ? VERDICT_LOOKS[verdict] : "";
}

/** The whole of one change: where, what, by whom, and the three values wrapped. */
export function detail(view, entry) {
  const { payload } = view.changes;
  const [was, is] = sides(entry, view.readAll ? Infinity : READER_LIMIT, (value) => value.whole);
  const long = [entry.old, entry.new, entry.seen].some((value) => value && value.whole.length > READER_LIMIT);
  const bar = element("div", { class: "detail-bar" });
  bar.append(
    element("span", { class: `op ${entry.op}` }, element("b", {}, SIGNS[entry.op]), ` ${WORDS[entry.op]}`),
    appendText(element("span", { class: "mono text place", "data-pointer": entry.path }), entry.path || "(whole state)"),
    element("span", { class: "muted" }, about(view, entry)),
    element("span", { class: "spread" }),
    copyButton("copy pointer", () => entry.path),
    ...(entry.old ? [copyButton("copy old", () => entry.old.whole)] : []),
    ...(entry.new ? [copyButton("copy new", () => entry.new.whole)] : []),
    ...(payload.observed === null ? [] : [whole(view)]),
    ...(long && !view.readAll ? [element("button", { type: "button", onclick: () => view.showAll() }, "show all")] : []),
    element("button", { type: "button", title: "Close (Esc)", onclick: () => view.pick(-1) }, "close"),
  );
  const observed = view.wholeObservation ? view.observedValue() : entry.seen;
  const limit = view.readAll ? Infinity : READER_LIMIT;
  const same = !view.wholeObservation && entry.seen && entry.new && entry.seen.raw === entry.new.raw;
  // What equals the target is read there: here the same words would only be far apart.
  const seen = same ? is : observed ? [[beginning(observed.whole, limit), false]] : [];
  const remarks = [entry.verdict, same ? "equal to the target" : "", payload.why].filter(Boolean).join(" · ");
  return [
    bar,
    element(
      "div",
      { class: "three" },
      side(view, payload.base, entry.old, was, "del", entry.op === "move" ? `at ${entry.from}` : ""),
      side(view, payload.target, entry.new, is, "ins"),
      side(view, view.observationTitle(), observed, seen, "ins", remarks),
    ),
  ];
}

function whole(view) {
  return element(
    "button",
    { type: "button", "aria-pressed": String(view.wholeObservation), onclick: () => view.showWholeObservation() },
    "whole observation",
  );
}

function about(view, entry) {
  const value = entry.new ?? entry.old;
  const parts = [];
  if (entry.old && entry.new && entry.old.type !== entry.new.type) parts.push(`${entry.old.type} → ${entry.new.type}`);
  else if (value) parts.push(value.type);
  if (value?.isText && value.line.length > 40) parts.push(counted(wordCount(value.line), "word"));
  if (entry.delta) parts.push(entry.delta);
  if (entry.same) parts.push("same number");
  if (entry.alike) parts.push(entry.alike);
  const owner = view.owner(entry.path);
  const plane = view.plane(entry.path);
  const writer = view.changes.payload.written?.[entry.group];
  if (writer) parts.push(`by ${writer.join(", ")}`);
  if (owner) parts.push(`written by ${owner}`);
  if (plane) parts.push(plane);
  return parts.join(" · ");
}

function side(view, title, value, parts, tag, remark = "") {
  const heading = appendText(element("h3"), title);
  if (remark) heading.append(" · ", appendText(element("span"), remark));
  const body = value
    ? appendParts(element("div", { class: "words text", dir: "auto" }), view.readAll ? parts : folded(parts), {
        tag,
        lines: true,
        unfold: () => view.showAll(),
      })
    : element("div", { class: "muted" }, "absent");
  const cut = value?.cut ? element("div", { class: "muted" }, `${counted(value.cut.length, "character")}, the beginning is shown; the state tree has all of it`) : null;
  return element("div", { class: "side" }, heading, body, cut);
}

/** The first name in `patterns` that covers `pointer`, or null. */
export function nameFor(patterns, pointer) {
  return patterns.length ? firstMatch(patterns, splitPointer(pointer)) : null;
}
