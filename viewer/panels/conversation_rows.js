// One message and, on its right, the row of evidence that code recorded of the same result.

import { lengthOf, prettyPieces } from "./conversation_model.js";
import { appendText, element } from "./dom.js";
import { counted } from "./text.js";

const FOLDED = 700;
const WHO = {
  user: "user",
  model: "model",
  system: "system",
  tool_ok: "tool result",
  tool_refused: "tool refusal",
};

const STANDS = {
  proven: "a tool returned it",
  unproven: "no tool returned it",
  unknown: "no evidence is declared here",
};

/** Append marked text: what is written as text, each identifier as a button that chooses it. */
export function appendMarked(parent, pieces, by, look) {
  for (const piece of pieces) {
    if (!Array.isArray(piece)) {
      appendText(parent, piece, true);
      continue;
    }
    const [id] = piece;
    const standing = look.standing(id);
    const mark = element("button", {
      type: "button",
      class: `mention ${standing}`,
      "data-by": by,
      title: `${id}: ${STANDS[standing]}. Enter or click: every mention of it, and every row of evidence`,
    });
    mark.mentioned = id;
    parent.append(appendText(mark, id));
  }
  return parent;
}

function foldable(body, length, what) {
  const lines = body.textContent.split("\n").length;
  if (length <= FOLDED && lines <= 14) return [body];
  body.classList.add("folded");
  const label = `show all ${counted(length, "character")}`;
  const more = element("button", { type: "button", class: "more", "aria-expanded": "false", "aria-label": `${label} of ${what}` }, label);
  more.addEventListener("click", () => {
    const now = body.classList.toggle("folded");
    more.setAttribute("aria-expanded", String(!now));
    more.textContent = now ? label : "fold";
  });
  return [body, more];
}

function argumentTable(call, by, look) {
  const made = element("div", { class: "call" }, element("span", { class: "kind" }, "calls "));
  made.append(appendMarked(element("b", { class: "mono" }), call.name, by, look));
  if (!call.table) {
    made.append(appendMarked(element("div", { class: "mono written" }), call.text, by, look));
  } else if (call.table.length) {
    const table = element("table", { class: "arguments" });
    for (const [name, value] of call.table) {
      const head = appendMarked(element("th", { scope: "row" }), name, by, look);
      table.append(element("tr", {}, head, appendMarked(element("td"), value, by, look)));
    }
    made.append(table);
  } else made.append(element("span", { class: "muted" }, " without arguments"));
  return made;
}

/** The members of an object, one a line: key, then text, list, call or JSON. */
export function memberList(rows, by, look) {
  const list = element("dl", { class: "members" });
  for (const row of rows) {
    const value = element("dd");
    if (row.call) value.append(argumentTable(row.call, by, look));
    else if (row.lines) {
      const lines = row.lines.map((line) => appendMarked(element("li"), line, by, look));
      value.append(element("ol", {}, ...lines));
    } else if (row.text) appendMarked(value, row.text, by, look);
    else appendMarked(Object.assign(value, { className: "mono" }), row.json, by, look);
    list.append(appendMarked(element("dt"), row.key, by, look), value);
  }
  return list;
}

/** What a message says: its members where it is one JSON object, its text as written on demand. */
function said(row, look, head) {
  const what = `message ${row.index}`;
  const written = () => foldable(appendMarked(element("div", { class: "body" }), row.text, row.by, look), row.length, what);
  if (!row.fields) {
    const box = element("div", { class: "said" }, ...written());
    if (looksLikeJson(row.text)) head.append(swap(box, () => written(), () => pretty(row, look, what), "pretty"));
    return box;
  }
  const members = () => foldable(memberList(row.fields, row.by, look), row.length, what);
  const box = element("div", { class: "said" }, ...members());
  head.append(swap(box, members, written, "as written"));
  return box;
}

function pretty(row, look, what) {
  const body = appendMarked(element("div", { class: "body mono" }), prettyPieces(row.text), row.by, look);
  return foldable(body, row.length, what);
}

function looksLikeJson(pieces) {
  const first = pieces.find((piece) => typeof piece === "string")?.trimStart()[0];
  return first === "{" || first === "[";
}

/** A button that shows `other` in place of `own`, and back. */
function swap(box, own, other, label) {
  const button = element("button", { type: "button", class: "more", "aria-pressed": "false" }, label);
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    box.replaceChildren(...(on ? other() : own()));
    box.dispatchEvent(new CustomEvent("redrawn", { bubbles: true }));
  });
  return button;
}

/** Return the left cell: one message. `look` says what is proven and what a person may do here. */
export function messageCell(row, look) {
  const who = WHO[row.by] ?? row.by;
  const cell = element("article", { class: `message by-${row.by}`, "aria-label": `message ${row.index}, ${who}` });
  const head = element("div", { class: "head" }, element("span", { class: "who" }, who));
  if (row.name) head.append(appendText(element("span", { class: "mono name" }), row.name));
  head.append(appendText(element("span", { class: "muted role", title: "the role that stands in the message" }), `role ${row.role}`));
  if (look.fresh(row.index)) head.append(element("span", { class: "fresh", title: "not in the checkpoint before" }, "new"));
  head.append(element("span", { class: "pointer mono" }, row.pointer));
  cell.append(head);
  if (row.length || (!row.calls && !row.others)) {
    const box = said(row, look, head);
    if (!row.length) box.append(element("span", { class: "muted" }, "(no text)"));
    cell.append(box);
  }
  if (row.length > lengthOf(row.text)) {
    cell.append(element("p", { class: "muted" }, `The first ${counted(lengthOf(row.text), "character")} of ${row.length.toLocaleString("en")}; "as stored" reads all.`));
  }
  for (const other of row.others ?? []) {
    const line = element("div", { class: "other" }, element("span", { class: "kind" }, `${other.kind} `));
    cell.append(appendText(line, other.text, true));
  }
  for (const call of row.calls ?? []) cell.append(argumentTable(call, row.by, look));
  head.append(storedButton(row, cell, look));
  if (row.by.startsWith("tool")) head.append(editButton(row.pointer, look));
  return cell;
}

function storedButton(row, cell, look) {
  const button = element("button", { type: "button", class: "more", "aria-expanded": "false" }, "as stored");
  let shown = null;
  button.addEventListener("click", async () => {
    if (shown) {
      shown.hidden = !shown.hidden;
    } else {
      shown = element("pre", { class: "stored mono", tabindex: "0", "aria-label": `message ${row.index} as stored` }, "reading …");
      cell.append(shown);
      const text = await look.stored(row.pointer);
      shown.replaceChildren();
      appendText(shown, text, true);
    }
    button.setAttribute("aria-expanded", String(!shown.hidden));
  });
  return button;
}

function editButton(pointer, look) {
  const title = "Change it in memory and run both checks again; nothing is written";
  return element("button", { type: "button", class: "more", title, onclick: () => look.edit(pointer) }, "what if …");
}

/** Return the right cell: the row of evidence, or an empty cell that stays quiet. */
export function evidenceCell(row, look) {
  if (!row) return element("div", { class: "evidence none" });
  const how = row.ok ? "✓ ok" : "✕ refused";
  const cell = element("article", { class: `evidence ${row.ok ? "ok" : "refused"}`, "aria-label": `evidence ${row.number}, ${how.slice(2)}` });
  cell.returned = row.returned;
  const head = element("div", { class: "head" }, element("span", { class: "who" }, how));
  if (row.tool) head.append(appendText(element("span", { class: "mono name" }), row.tool));
  head.append(element("span", { class: "pointer mono" }, row.pointer), editButton(row.pointer, look));
  const proof = element("p", { class: "returned" }, row.returned.length ? "returned" : "returned no identifier");
  for (const id of row.returned) appendMarked(proof, [" ", [id]], "evidence", look);
  cell.append(head, memberList(row.fields, "evidence", look), proof);
  return cell;
}
