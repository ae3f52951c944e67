// What is known of the identifiers: the list above the messages, and the one that is chosen.

import { goTo } from "./asking.js";
import { proofWords, tallyWords } from "./conversation_model.js";
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
  const proven = one.returned > 0;
  const chip = element("button", { type: "button", class: `mention chip ${proven ? "proven" : "unproven"}` });
  chip.mentioned = one.id;
  chip.title = `${tallyWords(one)}; ${proofWords(one, declared)}`;
  const times = element("span", { class: "count" }, ` ${one.count} × ${proven ? "✓ proven" : "not proven"}`);
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
  const proof = one && element("b", { class: one.returned ? "good" : "bad" }, `${one.returned ? "✓" : "✕"} ${proofWords(one, declared)}`);
  return { where, from, parts: [left, [proof, from].filter(Boolean)] };
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
