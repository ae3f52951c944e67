// The pane of one selected change: where, what, by whom, and the three values wrapped.

import { ask } from "./asking.js";
import { appendParts, appendText, copyButton, element } from "./dom.js";
import { Columns, prettyJson } from "./json.js";
import { beginning, counted, folded, wordCount } from "./text.js";
import { sides, verdictChip } from "./diff3_cells.js";
import { SIGNS, Value, WORDS } from "./diff3_model.js";

const READER_LIMIT = 20_000;
// A text made of characters that each get a label is cut sooner.
const UNSEEN_LIMIT = 1_000;

/** How much of `texts` a reader shows at once. */
export function readerLimit(texts) {
  const odd = (text) => text.slice(0, READER_LIMIT).match(/[^\P{C}\n\r\t]/gu)?.length ?? 0;
  return texts.some((text) => odd(text) > UNSEEN_LIMIT) ? UNSEEN_LIMIT : READER_LIMIT;
}

/** Return the children of the pane for `entry`. `view` is the panel. */
export function detail(view, entry) {
  const { payload } = view.changes;
  const pick = (value) => (view.parsed && value.inside) || value.whole;
  const texts = [entry.old, entry.new, entry.seen].filter(Boolean).map(pick);
  const all = readerLimit(texts);
  const long = texts.some((text) => text.length > all);
  const limit = view.readAll ? Infinity : all;
  const [was, is] = sides(entry, limit, limit, pick);
  const same = entry.seen && entry.new && entry.seen.raw === entry.new.raw;
  // What equals the target is read there: here the same words would only be far apart.
  const seen = same ? is : entry.seen ? [[beginning(pick(entry.seen), limit), false]] : [];
  const told = [entry.verdict && verdictChip(entry.verdict), same ? "equal to the target" : seenSide(entry), payload.why && ` · ${payload.why}`];
  return [
    bar(view, entry, long),
    element(
      "div",
      { class: "three" },
      side(view, payload.base, entry.old, was, "del", entry.op === "move" ? [`at ${entry.from}`] : []),
      side(view, payload.target, entry.new, is, "ins", entry.op === "move" ? [`at ${entry.path}`] : []),
      side(view, view.observationTitle(), entry.seen, seen, "ins", told, entry.verdict ? "no value is known in this place" : "nothing is known"),
    ),
  ];
}

function seenSide({ seen, old }) {
  return seen && old && seen.raw === old.raw ? "equal to the base" : "";
}

function bar(view, entry, long) {
  const { payload } = view.changes;
  const hasText = Boolean(entry.old?.inside || entry.new?.inside);
  const button = (label, onclick, props = {}) => element("button", { type: "button", onclick, ...props }, label);
  return element(
    "div",
    { class: "detail-bar" },
    element("span", { class: `op ${entry.op}` }, element("b", {}, SIGNS[entry.op]), ` ${WORDS[entry.op]}`),
    appendText(element("span", { class: "mono text place", "data-pointer": entry.path }), entry.path || "(whole state)"),
    appendText(element("span", { class: "muted about" }), about(view, entry)),
    element("span", { class: "spread" }),
    hasText ? button("as JSON", () => view.parseInside(), { "aria-pressed": String(view.parsed), title: "Read the JSON that the text holds, members by name" }) : null,
    long && !view.readAll ? button("show all", () => view.showAll()) : null,
    copyButton("copy pointer", () => entry.path),
    entry.old ? copyButton("copy old", () => whole(entry.old, payload.base_index, entry.from ?? entry.path)) : null,
    entry.new ? copyButton("copy new", () => whole(entry.new, payload.index, entry.path)) : null,
    copyButton("copy change", () => asJson(view, entry)),
    payload.panel ? copyButton("copy link", () => view.standing.link) : null,
    button("ignore", () => view.ignore(entry.path), { title: "Set this place aside for now (x)" }),
    button("model input", () => view.showObserved(true), { title: "What a model is shown (m)" }),
    button("close", () => view.pick(-1), { title: "Close (Esc)" }),
  );
}

/** The text to copy of a value; one that was too long to send is asked for. */
async function whole(value, index, pointer) {
  return value.cut ? new Value(await exact(value, index, pointer)).whole : value.whole;
}

async function exact(value, index, pointer) {
  if (!value.cut) return value.raw;
  // A base without a place in the chain is from elsewhere; the page keeps it.
  return Number.isInteger(index) ? ask("value", { index, pointer }) : ask("base_value", { pointer });
}

/** One change as JSON: `op`, `path`, `from`, `old`, `value`, numbers as they are written. */
async function asJson(view, entry) {
  const { payload } = view.changes;
  const members = [`"op": ${JSON.stringify(entry.op)}`, `"path": ${JSON.stringify(entry.path)}`];
  if (entry.from !== undefined) members.push(`"from": ${JSON.stringify(entry.from)}`);
  if (entry.old) members.push(`"old": ${strict(await exact(entry.old, payload.base_index, entry.from ?? entry.path))}`);
  if (entry.new) members.push(`"value": ${strict(await exact(entry.new, payload.index, entry.path))}`);
  return `{\n  ${members.join(",\n  ")}\n}`;
}

function strict(raw) {
  const columns = new Columns();
  columns.read(raw);
  return prettyJson(columns, 0).replaceAll("\n", "\n  ");
}

function about(view, entry) {
  const value = entry.new ?? entry.old;
  const parts = [];
  if (entry.old && entry.new && entry.old.type !== entry.new.type) parts.push(`${entry.old.type} → ${entry.new.type}`);
  else if (value) parts.push(value.type);
  if (value?.isText && value.line.length > 40 && value.line.length < 200_000) parts.push(counted(wordCount(value.line), "word"));
  if (entry.delta) parts.push([entry.delta, entry.share].filter(Boolean).join(", "));
  if (entry.same) parts.push("same number");
  if (entry.alike) parts.push(entry.alike);
  if (entry.carrier) parts.push(`inside the item moved from ${entry.carrier.from}`);
  const owner = view.owner(entry.path);
  const plane = view.plane(entry.path);
  if (entry.nodes.length) parts.push(`by ${entry.nodes.join(", ")}`);
  if (owner) parts.push(`written by ${owner}`);
  if (plane) parts.push(plane);
  return parts.join(" · ");
}

function side(view, title, value, parts, tag, remarks = [], nothing = "absent") {
  const heading = appendText(element("h3"), title);
  for (const remark of remarks.filter(Boolean)) {
    heading.append(" ", typeof remark === "string" ? appendText(element("span", { class: "remark" }), remark) : remark);
  }
  const body = value
    ? appendParts(element("div", { class: "words text", dir: "auto" }), view.readAll ? parts : folded(parts), {
        tag,
        lines: true,
        unfold: () => view.showAll(),
      })
    : element("div", { class: "muted" }, nothing);
  const cut = value?.cut ? element("div", { class: "muted" }, `${counted(value.cut.length, "character")}, the beginning is shown; the state tree has all of it`) : null;
  return element("div", { class: "side" }, heading, body, cut);
}
