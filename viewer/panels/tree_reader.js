// The reader below the state tree: the whole value, wrapped, its change marked, JSON inside strings.

import { ask } from "./asking.js";
import { appendParts, appendText, copyButton, element } from "./dom.js";
import { CUT, Columns, STRING, prettyJson } from "./json.js";
import { beginning, counted, folded, wordCount, wordDifference } from "./text.js";

const READER_LIMIT = 60_000;
const PIECES = 4_000;

/** The whole value; where it changed, the old one beside it with words marked. */
export function readerPages(view, row) {
  const { tree } = view;
  const { columns } = tree;
  const limit = view.readAll ? Infinity : READER_LIMIT;
  const whole = view.wholes.get(row);
  if (columns.kind[row] === CUT && whole === undefined) return [cutPage(view, row)];
  const full = whole ?? (tree.isText(row) ? tree.text(row) : prettyJson(columns, row, limit));
  const old = view.oldValue(row);
  if (!old) return [page(view, row, "", full)];
  const [was, is] = wordDifference(beginning(old.whole, limit), beginning(full, limit));
  return [page(view, null, "was", old.whole, was, "del"), page(view, row, "is", full, is, "ins")];
}

/** The beginning of a value that was too long to send, and a way to have all of it. */
function cutPage(view, row) {
  const { columns } = view.tree;
  const said = element("span", { class: "muted" }, `the first ${counted(columns.raw(row).length, "character")} of ${columns.count[row].toLocaleString("en")}`);
  const fetch = async () => {
    said.textContent = "asking for all of it …";
    try {
      const text = await ask("value", { index: view.about.base, pointer: view.tree.pointer(row) });
      const read = new Columns();
      read.read(text);
      view.wholes.set(row, read.kind[0] === STRING ? read.shown(0) : prettyJson(read, 0));
      view.drawReader();
    } catch (error) {
      said.textContent = error.message;
    }
  };
  const more = view.about.base === null ? null : element("button", { type: "button", onclick: fetch }, "whole value");
  return element(
    "div",
    { class: "page" },
    element("div", { class: "reader-bar" }, said, more),
    appendText(element("div", { class: "words text", dir: "auto" }), columns.raw(row), true),
  );
}

function page(view, row, title, full, parts = [[full, false]], tag = "mark") {
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
    row === null ? null : readerBar(view, row, full, body),
    body,
    cut ? element("button", { type: "button", onclick: unfold }, label) : null,
  );
}

function readerBar(view, row, full, body) {
  const text = view.tree.isText(row);
  const size = text && full.length < 2_000_000 ? `${counted(wordCount(full), "word")} · ` : "";
  const wrap = element("button", { type: "button", "aria-pressed": String(view.wrapped), title: "Wrap long lines" }, "wrap");
  wrap.addEventListener("click", () => view.wrap(!view.wrapped));
  const parse = text && isJson(full) ? element("button", { type: "button", class: "parse" }, "parse as JSON") : null;
  parse?.addEventListener("click", () => {
    const on = parse.getAttribute("aria-pressed") !== "true";
    parse.setAttribute("aria-pressed", String(on));
    body.replaceChildren();
    if (on) appendParsed(body, full);
    else appendText(body, beginning(full, view.readAll ? Infinity : READER_LIMIT), true);
  });
  return element(
    "div",
    { class: "reader-bar" },
    element("span", { class: "muted" }, `${size}${counted(full.length, "character")}`),
    wrap,
    parse,
    copyButton("copy", () => full),
  );
}

/** Whether `text` is JSON that is worth unfolding: an object, a list, or a string of JSON. */
export function isJson(text) {
  if (!/^\s*[{["]/.test(text)) return false;
  try {
    const value = JSON.parse(text); // Only whether it parses: what is shown are its own characters.
    return typeof value === "object" || isJson(value);
  } catch {
    return false;
  }
}

/**
 * Return `text` as pieces of indented JSON, numbers as written: `[characters, null]`, or
 * `[a string's characters, its text]` where that is JSON itself. At most `most` pieces.
 */
export function jsonPieces(text, most = PIECES) {
  const columns = new Columns();
  columns.read(text);
  const pieces = [];
  const write = (characters, inside = null) => {
    const last = pieces[pieces.length - 1];
    if (last && inside === null && last[1] === null) last[0] += characters;
    else pieces.push([characters, inside]);
    return pieces.length <= most;
  };
  const value = (at, indent) => {
    if (!columns.isContainer(at)) {
      const inside = columns.kind[at] === STRING ? columns.shown(at) : null;
      return write(columns.raw(at), inside !== null && isJson(inside) ? inside : null);
    }
    const isObject = columns.raw(at)[0] === "{";
    const inner = `${indent}  `;
    let first = true;
    write(isObject ? "{" : "[");
    for (let child = at + 1; child < columns.end[at]; child = columns.end[child]) {
      const name = isObject ? `${JSON.stringify(columns.key[child])}: ` : "";
      if (!write(`${first ? "" : ","}\n${inner}${name}`) || !value(child, inner)) return false;
      first = false;
    }
    return write(`${first ? "" : `\n${indent}`}${isObject ? "}" : "]"}`);
  };
  if (!value(0, "")) pieces.push(["\n…", null]);
  return pieces;
}

/** Append `text`, which is JSON, indented; a string in it that is JSON too can be parsed in place. */
function appendParsed(node, text) {
  for (const [characters, inside] of jsonPieces(text)) {
    const piece = appendText(element("span"), characters, true);
    node.append(piece);
    if (inside === null) continue;
    const parse = element("button", { type: "button", class: "parse small" }, "parse as JSON");
    parse.addEventListener("click", () => {
      const nested = element("div", { class: "nested" });
      appendParsed(nested, inside);
      piece.replaceWith(nested);
      parse.remove();
    });
    node.append(parse);
  }
}
