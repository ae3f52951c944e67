// What the rows and panes of the diff have in common: values, words that differ, verdicts.

import { appendParts, appendText, element } from "./dom.js";
import { firstMatch, splitPointer } from "./json.js";
import { beginning, nearDifference, nearOther, wordDifference } from "./text.js";

const VERDICT_LOOKS = {
  shown: "green",
  stale: "orange",
  "not shown": "violet",
  leak: "red",
  "left out": "quiet",
  "would be shown": "green would",
  "would not be shown": "violet would",
};
const VERDICT_WORDS = {
  shown: "The model was shown the target's value.",
  stale: "The model was shown the base's value, which is no longer true.",
  "not shown": "Meant to be shown, and the model was not shown it.",
  leak: "The model was shown it, though it should not be.",
  "left out": "The profile's projection leaves it out, and the model was indeed not shown it.",
  "would be shown": "By the profile's projection the model would be shown it; nothing is recorded.",
  "would not be shown": "By the profile's projection the model would not be shown it.",
  unknown: "Nothing says whether the model was shown it.",
};

/** The verdict as a word in its colour and outline. */
export function verdictChip(verdict) {
  const title = Object.hasOwn(VERDICT_WORDS, verdict) ? VERDICT_WORDS[verdict] : null;
  return element("span", { class: `verdict ${verdictLook(verdict)}`, title }, verdict);
}

/** The colour class of a verdict; a word that is not known has none. */
export function verdictLook(verdict) {
  return Object.hasOwn(VERDICT_LOOKS, verdict) ? VERDICT_LOOKS[verdict] : "";
}

/** The first name in `patterns` that covers `pointer`, or null. */
export function nameFor(patterns, pointer) {
  return patterns.length ? firstMatch(patterns, splitPointer(pointer)) : null;
}

/**
 * Return the parts of both sides, cut to `width` characters; `room` of them are in sight, and the
 * first difference is among those.
 */
export function sides(entry, width, room = width, pick = (value) => value.line) {
  const old = entry.old && pick(entry.old);
  const now = entry.new && pick(entry.new);
  if (entry.op === "replace" && entry.old.isText === entry.new.isText) {
    const [before, after] = nearDifference(old, now, width, room);
    if (isComparable(entry)) return wordDifference(before, after);
    return [[[before, true]], [[after, true]]];
  }
  const alone = (text) => (text === null ? [] : [[beginning(text, width), false]]);
  return [alone(old), alone(now)];
}

// Word by word for text and for containers; a number or a word like `true` changed as a whole.
function isComparable(entry) {
  return entry.old.isText || entry.old.isContainer;
}

/** What the model was shown, cut near where it differs from the target; what is equal is said. */
export function seenWords(entry, width, room) {
  if (!entry.seen) return null;
  // A verdict says by itself which side the value equals.
  if (entry.verdict && (entry.new?.raw === entry.seen.raw || entry.old?.raw === entry.seen.raw)) return null;
  if (entry.new && entry.seen.raw === entry.new.raw) return element("span", { class: "muted" }, "= target");
  if (entry.old && entry.seen.raw === entry.old.raw) return element("span", { class: "muted" }, "= base");
  const other = (entry.new ?? entry.old)?.line ?? "";
  return appendText(element("span", { class: "text" }), nearOther(entry.seen.line, other, width, room));
}

/** A value's parts, with quotes where it is text and its kind as a class. */
export function quoted(value, parts, tag) {
  const body = appendParts(element("span", { class: `text ${kindOf(value)}` }), parts, { tag });
  if (!value.isText) return [body];
  return [element("span", { class: "quote" }, "“"), body, element("span", { class: "quote" }, "”")];
}

function kindOf(value) {
  if (value.isText || value.isContainer || value.cut) return "";
  if (value.raw === "null") return "null";
  return value.raw === "true" || value.raw === "false" ? "boolean" : "number";
}

/** What is told beside the values of a change: how far, whether it only looks the same, from where. */
export function remarks(entry) {
  const found = [];
  if (entry.delta) {
    const far = [entry.delta, entry.share].filter(Boolean).join("  ").replaceAll("-", "−");
    found.push(element("span", { class: "chip delta", title: "new − old" }, `Δ ${far}`));
  }
  if (entry.same) found.push(element("span", { class: "chip" }, "same number"));
  if (entry.alike) found.push(element("span", { class: "chip alike", title: entry.alike }, "looks the same"));
  // Inside a moved item the move itself says from where.
  if (entry.op === "replace" && entry.from && !entry.carrier) found.push(appendText(element("span", { class: "chip" }, "was at "), entry.from));
  if (entry.old && entry.new && entry.op === "replace" && entry.old.type !== entry.new.type && !entry.same) {
    found.push(element("span", { class: "chip type" }, `${entry.old.type} → ${entry.new.type}`));
  }
  return found;
}

/** `by NODE` as a chip; nothing where no node is known. */
export function writtenBy(nodes) {
  if (!nodes?.length) return [];
  const title = "the node whose stored write made this change";
  return [appendText(element("span", { class: "chip writer", title }, "by "), nodes.join(", "))];
}
