// What is known of the identifiers: the list above the messages, and the one that is chosen.

import { goTo } from "./asking.js";
import { lengthOf, proofWords, standingOf, tallyWords } from "./conversation_model.js";
import { appendMarked } from "./conversation_rows.js";
import { appendText, element } from "./dom.js";

/** Every identifier as a button with its count and whether a tool returned it; or why there is none. */
export function identifierParts({ identifiers, more_identifiers: more, note, evidence, count }) {
  if (!identifiers.length) {
    if (!count) return [element("span", { class: "muted" }, "No messages, so no identifiers in them.")];
    const none = note ?? "No identifier stands in these messages, and no evidence returned one.";
    return [appendText(element("span", { class: "muted text" }), none)];
  }
  const chips = identifiers.map((one) => identifierChip(one, evidence !== null));
  const rest = more ? element("span", { class: "muted" }, `and ${more.toLocaleString("en")} more, marked below`) : null;
  return [element("span", { class: "muted" }, "Identifiers"), ...chips, rest].filter(Boolean);
}

function identifierChip(one, declared) {
  const standing = standingOf(one, declared);
  const chip = element("button", { type: "button", class: `mention chip ${standing}` });
  chip.mentioned = one.id;
  chip.title = `${tallyWords(one)}; ${proofWords(one, declared)}`;
  const times = element("span", { class: "count" }, ` ${one.count} × ${{ proven: "✓ proven", unproven: "not proven", unknown: "" }[standing]}`);
  return appendText(chip, one.id).appendChild(times).parentNode;
}

/** What is said of the chosen identifier on the left and on the right; `where` and `from` are filled in later. */
export function chosenParts(id, one, declared, { go, clear }) {
  const where = element("span", { class: "count" });
  const from = element("div", { class: "from" });
  const words = one ? tallyWords(one) : "does not stand at this checkpoint";
  const step = (label, key, direction) =>
    element("button", { type: "button", title: `${label} mention (${key})`, onclick: () => go(direction) }, `${label} `, element("kbd", {}, key));
  const left = [appendText(element("b", { class: "mono text" }), id), element("span", {}, words), where];
  if (one?.count) left.push(step("previous", "p", -1), step("next", "n", 1));
  left.push(element("button", { type: "button", onclick: clear }, "clear ", element("kbd", {}, "Esc")));
  const proof = one && element("b", { class: proofLook(one, declared)[0] }, `${proofLook(one, declared)[1]} ${proofWords(one, declared)}`);
  return { where, from, parts: [left, [proof, from].filter(Boolean)] };
}

/** What the profile says that no state of its kind can tell. */
export function noteLine(note) {
  return appendText(element("p", { class: "muted text" }), note);
}

/** The fields of the state that a person reads first; a click on a name calls `open` with its place. */
export function stateNow(state, look, open) {
  const list = element("dl", { class: "now", "aria-label": "The state now" });
  for (const { name, pointer, value } of state) {
    const link = element("button", { type: "button", class: "link mono", title: `${pointer}: open it on the Timeline` });
    link.addEventListener("click", () => open(pointer));
    const shown = appendMarked(element("dd"), value, "state", look);
    const wide = lengthOf(value) > 30 ? "wide" : "";
    list.append(element("div", { class: wide }, element("dt", {}, appendText(link, name)), shown));
  }
  return list;
}

function proofLook(one, declared) {
  return { proven: ["good", "✓"], unproven: ["bad", "✕"], unknown: ["muted", "?"] }[standingOf(one, declared)];
}

/** A field for any other text that a person wants to follow; `Enter` follows it. */
export function followInput(text, follow) {
  const input = element("input", { type: "text", class: "follow", maxlength: 200, "aria-label": "Follow any text", placeholder: "follow any text …  (Enter)" });
  input.value = text ?? "";
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && input.value.trim()) follow(input.value);
  });
  return input;
}

/** Where it first stands: a step in this page, and a link to that place on the Timeline. */
export function firstParts(found, open) {
  const here = element("button", { type: "button", class: "link", title: "Step there", onclick: () => goTo(found.index, found.pointer) }, `@${found.index}`);
  const link = element("a", { href: timelineAddress(found), class: "link" }, "open on Timeline");
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  return ["first written at ", here, " · ", link];
}

/** Where the Timeline shows a place of a checkpoint of this chain. */
function timelineAddress({ index, pointer }) {
  const url = new URL(window.location.href);
  url.pathname = url.pathname.replace(/[^/]*$/, "timeline");
  for (const name of ["view", "filter", "base"]) url.searchParams.delete(name);
  url.searchParams.set("checkpoint", `@${index}`);
  url.searchParams.set("at", pointer);
  return url.href;
}
