// The pane of what the model was shown: what is new in it first, the whole of it one click away.

import { appendParts, appendText, copyButton, element } from "./dom.js";
import { beginning, counted, folded, wordDifference } from "./text.js";
import { readerLimit } from "./diff3_detail.js";
import { Value, shownModal } from "./diff3_model.js";

// Messages drawn, and characters of each, until all are asked for.
const MESSAGES = 40;
const MESSAGE_LIMIT = 1_500;
const SIGNS_OF = { added: "+", dropped: "−", edited: "~", moved: "→" };
const LOOKS_OF = { added: "add", dropped: "remove", edited: "replace", moved: "move" };

/** Return the children of the pane. `view` is the panel. */
export function observed(view) {
  const { payload } = view.changes;
  const { since } = payload;
  const value = payload.observed === null ? null : new Value(payload.observed);
  const whole = view.wholeObservation || !since;
  const button = (label, onclick, props = {}) => element("button", { type: "button", onclick, ...props }, label);
  const bar = element(
    "div",
    { class: "detail-bar" },
    element("b", {}, `What the model ${shownModal(payload.observation)} shown`),
    appendText(element("span", { class: "muted" }), [payload.observation, payload.why].filter(Boolean).join(" · ")),
    element("span", { class: "spread" }),
    since && value ? button(whole ? "only what is new" : "whole input", () => view.showWhole(), { "aria-pressed": String(whole) }) : null,
    value && !value.cut ? copyButton("copy input", () => value.whole) : null,
    view.entry ? button("selected change", () => view.showObserved(false)) : null,
    button("close", () => view.showObserved(false), { title: "Close (m or Esc)" }),
  );
  const body = element("div", { class: "shown" });
  if (since) body.append(...news(view, since));
  if (whole && value) body.append(...input(view, value));
  if (!since && !value) body.append(appendText(element("div", { class: "empty" }), payload.why || "Nothing says what the model was shown."));
  return [bar, body];
}

function news(view, since) {
  const head = element("h3", {}, appendText(element("span"), [since.title && `New ${since.title}`, since.summary].filter(Boolean).join(": ")));
  const parts = [head];
  if (since.system) parts.push(system(view, new Value(since.system.old), new Value(since.system.new)));
  const shown = view.readAll ? since.messages : since.messages.slice(0, MESSAGES);
  for (const message of shown) parts.push(messageRow(view, message));
  const left = since.messages.length - shown.length;
  if (left) parts.push(element("button", { type: "button", onclick: () => view.showAll() }, `show ${counted(left, "more message")}`));
  const stayed = [since.kept ? `${counted(since.kept, "message")} as before` : "", since.prompt].filter(Boolean);
  if (stayed.length) parts.push(element("div", { class: "muted kept" }, stayed.join(", ")));
  if (!since.messages.length && !since.system && !since.summary) parts.push(element("div", { class: "muted" }, "Nothing in it is new."));
  return parts;
}

function system(view, old, now) {
  const [, after] = wordDifference(old.whole, now.whole);
  const [before] = wordDifference(old.whole, now.whole);
  const text = (parts, tag) =>
    appendParts(element("div", { class: "words text", dir: "auto" }), view.readAll ? parts : folded(parts), { tag, lines: true, unfold: () => view.showAll() });
  return element(
    "div",
    { class: "message replace", "data-op": "edited" },
    element("div", { class: "who" }, element("b", { class: "op replace" }, "~"), " system prompt changed"),
    element("div", { class: "two" }, text(before, "del"), text(after, "ins")),
  );
}

function messageRow(view, message) {
  const look = Object.hasOwn(LOOKS_OF, message.op) ? LOOKS_OF[message.op] : "";
  const who = element("div", { class: "who" }, element("b", { class: `op ${look}` }, SIGNS_OF[message.op] ?? ""), ` ${message.op} `);
  who.append(appendText(element("span", { class: "role" }), message.role ?? ""));
  if (message.at) {
    const go = () => view.goToChange(message.at);
    const known = view.changes.entries.some((entry) => entry.path === message.at || message.at.startsWith(`${entry.path}/`));
    const place = appendText(element(known ? "button" : "span", known ? { type: "button", class: "place mono", onclick: go } : { class: "muted mono" }), message.at);
    who.append(" ", place);
  }
  const now = new Value(message.text).whole;
  const old = typeof message.old === "string" ? new Value(message.old).whole : null;
  const limit = view.readAll ? Infinity : Math.min(MESSAGE_LIMIT, readerLimit([now]));
  const words = (parts, tag) => appendParts(element("div", { class: "words text", dir: "auto" }), parts, { tag, lines: true, unfold: () => view.showAll() });
  let body;
  if (old !== null && message.op === "edited") {
    const [before, after] = wordDifference(old, now);
    const fit = (parts) => (view.readAll ? parts : folded(parts));
    body = element("div", { class: "two" }, words(fit(before), "del"), words(fit(after), "ins"));
  } else body = words([[beginning(now, limit), false]], "ins");
  const more = now.length > limit ? element("button", { type: "button", class: "hidden-part", onclick: () => view.showAll() }, `show all ${counted(now.length, "character")}`) : null;
  return element("div", { class: `message ${look}`, "data-op": message.op }, who, body, more);
}

function input(view, value) {
  const all = value.cut ? value.raw : value.whole;
  const limit = view.readAll ? Infinity : readerLimit([all]);
  const text = appendText(element("div", { class: "words text whole", dir: "auto" }), beginning(all, limit), true);
  const parts = [element("h3", {}, "The whole input"), text];
  if (all.length > limit) parts.push(element("button", { type: "button", onclick: () => view.showAll() }, `show all ${counted(all.length, "character")}`));
  if (value.cut) parts.push(element("div", { class: "muted" }, `${counted(value.cut.length, "character")}, the beginning is shown`));
  return parts;
}
