// What the search line says in words, and which hit is chosen. No DOM in here.

import { counted } from "./text.js";

/** Names of a row's parts as `viewer/panels/find.py` sends them. */
export function hitOf(row) {
  const [kind, text, value, namespace, pointer, lastPointer, first, last, count, of, atHead] = row;
  return { kind, text, value, namespace, pointer, lastPointer: lastPointer ?? pointer, first, last, count, of, atHead };
}

/** In how many checkpoints a hit stands. */
export function inHowMany(hit) {
  return `in ${hit.count.toLocaleString("en")} of ${hit.of.toLocaleString("en")}`;
}

/** A hit in one sentence, for those who hear it. */
export function spoken(hit) {
  const what = hit.kind === "key" ? "key" : "value";
  const until = hit.last === hit.first ? "" : `, last at checkpoint ${hit.last}`;
  return `${what} ${hit.text.join("")}, ${hit.pointer || "the whole state"}, first at checkpoint ${hit.first}${until}, ${inHowMany(hit)}${hit.atHead ? "" : ", not in the live head"}`;
}

/** The nodes that lead to a chain, without the ids of their tasks; the root has no name of its own. */
export function spaceName(namespace) {
  if (!namespace) return "root";
  return namespace.split("|").map((part) => part.split(":")[0] || part).join(" › ");
}

/** What a search found and how far it is, in a line. */
export function howFar(answer, stopped = false) {
  if (!answer) return "searching …";
  const { found, rows, searched, total, done, full } = answer;
  const many = found === 0 ? "nothing" : counted(found, "place");
  const parts = [full ? `more than ${many}: narrow the search` : many];
  if (!done) parts.push(`searched ${searched.toLocaleString("en")} of ${counted(total, "checkpoint")}${stopped ? "" : " …"}`);
  else if (!full) parts.push(`in ${counted(total, "checkpoint")}`);
  else parts.push(`stopped after ${searched.toLocaleString("en")} of ${counted(total, "checkpoint")}`);
  if (done && rows.length < found && !full) parts.push(`the first ${rows.length.toLocaleString("en")} shown`);
  if (answer.cut) parts.push(`${counted(answer.cut, "long value")} searched only in the first 1,000,000 characters`);
  if (answer.unread) parts.push(`${counted(answer.unread, "chain")} not readable`);
  return parts.join(" · ");
}

/** Which hit a key chooses among `count`, from `active` (-1: none); null where it chooses none. */
export function chosenBy(key, active, count, page = 10) {
  if (!count) return null;
  const last = count - 1;
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
  if (!Object.hasOwn(steps, key)) return null;
  // Past either end it goes on at the other, but only one by one.
  if (key === "ArrowDown" && active === last) return 0;
  if (key === "ArrowUp" && active <= 0) return last;
  return Math.max(0, Math.min(last, active + steps[key]));
}
