// Pure text work: numbers for people, word-level differences, previews. No DOM in here.

const BYTE_UNITS = ["B", "KB", "MB", "GB"];

/** Return a byte count for people: `980 B`, `12.4 KB`. */
export function bytes(count) {
  let value = count;
  let unit = 0;
  while (value >= 1000 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit && value < 100 ? value.toFixed(1) : Math.round(value)} ${BYTE_UNITS[unit]}`;
}

/** Return `count` with its noun: `1 change`, `2,000 changes`. */
export function counted(count, noun, plural = `${noun}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

/** Return how many words `text` has, by its own language's rules. */
export function wordCount(text) {
  let count = 0;
  for (const part of words.segment(text)) if (part.isWordLike) count += 1;
  return count;
}

// Word segments never cut a code point or a grapheme cluster in two.
const words = new Intl.Segmenter(undefined, { granularity: "word" });

function tokens(text) {
  return Array.from(words.segment(text), (part) => part.segment);
}

const EFFORT = 1_200;
// Characters of a middle that is still cut into words; a longer one changed as a whole.
const SEGMENTED = 200_000;

/**
 * Return `[oldParts, newParts]`, each a list of `[text, changed]`.
 *
 * Common words at both ends are set aside, the middle is compared by Myers' greedy algorithm. A
 * middle that needs more than EFFORT edits counts as changed as a whole: highlighting every other
 * word says nothing.
 */
export function wordDifference(before, after) {
  const start = sharedStart(before, after);
  const end = sharedEnd(before, after, start);
  const middles = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const parts = Math.max(...middles.map((text) => text.length)) > SEGMENTED
    ? middles.map((text) => (text ? [[text, true]] : []))
    : wordsDiffer(...middles);
  const shared = (text, side, first) => {
    if (!text) return side;
    const place = first ? 0 : side.length - 1;
    if (side.length && !side[place][1]) side[place][0] = first ? text + side[place][0] : side[place][0] + text;
    else side.splice(first ? 0 : side.length, 0, [text, false]);
    return side;
  };
  return parts.map((side) => shared(before.slice(before.length - end), shared(before.slice(0, start), side, true), false));
}

// Where a word surely begins: after a blank or line break, before a plain letter, digit or sign.
const isEdge = (text, at) => at === 0 || at === text.length || (/[ \n]/.test(text[at - 1]) && /[!-~]/.test(text[at]));

function sharedStart(before, after) {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before[at] === after[at]) at += 1;
  while (at > 0 && !(isEdge(before, at) && isEdge(after, at))) at -= 1;
  return at;
}

function sharedEnd(before, after, start) {
  const most = Math.min(before.length, after.length) - start;
  let count = 0;
  while (count < most && before[before.length - 1 - count] === after[after.length - 1 - count]) count += 1;
  while (count > 0 && !(isEdge(before, before.length - count) && isEdge(after, after.length - count))) count -= 1;
  return count;
}

function wordsDiffer(before, after) {
  const a = tokens(before);
  const b = tokens(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) {
    tail += 1;
  }
  const oldParts = [];
  const newParts = [];
  const both = (text) => {
    push(oldParts, text, false);
    push(newParts, text, false);
  };
  both(a.slice(0, head).join(""));
  const middleOld = a.slice(head, a.length - tail);
  const middleNew = b.slice(head, b.length - tail);
  for (const [kind, text] of script(middleOld, middleNew)) {
    if (kind === "same") both(text);
    else push(kind === "old" ? oldParts : newParts, text, true);
  }
  both(a.slice(a.length - tail).join(""));
  return [oldParts, newParts];
}

function push(parts, text, changed) {
  if (!text) return;
  const last = parts[parts.length - 1];
  if (last && last[1] === changed) last[0] += text;
  else parts.push([text, changed]);
}

/** Return the edits from `a` to `b` as `[same | old | new, text]`, in order. */
function script(a, b) {
  const whole = [
    ["old", a.join("")],
    ["new", b.join("")],
  ];
  if (!a.length || !b.length) return whole;
  const trace = furthest(a, b);
  if (!trace) return whole;
  const edits = [];
  let x = a.length;
  let y = b.length;
  for (let d = trace.length - 1; d > 0; d -= 1) {
    const reached = trace[d - 1];
    const at = (k) => reached[k + d - 1] ?? -1;
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const fromK = down ? k + 1 : k - 1;
    const fromX = at(fromK);
    const fromY = fromX - fromK;
    const startX = down ? fromX : fromX + 1;
    while (x > startX) {
      x -= 1;
      y -= 1;
      edits.push(["same", a[x]]);
    }
    edits.push(down ? ["new", b[fromY]] : ["old", a[fromX]]);
    x = fromX;
    y = fromY;
  }
  while (x > 0) {
    x -= 1;
    edits.push(["same", a[x]]);
  }
  return edits.reverse();
}

/** Return per edit count the furthest x on each diagonal (Myers 1986), or null past EFFORT. */
function furthest(a, b) {
  const trace = [];
  let before = [0];
  for (let d = 0; d <= Math.min(a.length + b.length, EFFORT); d += 1) {
    const now = new Array(2 * d + 1).fill(-1);
    for (let k = -d; k <= d; k += 2) {
      const at = (other) => before[other + d - 1] ?? -1;
      let x = 0;
      if (d > 0) x = k === -d || (k !== d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x += 1;
        y += 1;
      }
      now[k + d] = x;
      if (x >= a.length && y >= b.length) {
        trace.push(now);
        return trace;
      }
    }
    trace.push(now);
    before = now;
  }
  return null;
}

// How many equal characters stand before the first difference: a column may be narrow.
const LEAD = 14;

/**
 * Return both texts cut to about `width` characters, `room` of which are in sight: they begin near
 * their first difference where it would be out of sight, with `…` where something was left out.
 */
export function nearDifference(before, after, width, room = width) {
  if (before.length <= room && after.length <= room) return [before, after];
  let same = 0;
  const shorter = Math.min(before.length, after.length);
  while (same < shorter && before[same] === after[same]) same += 1;
  const hidden = room === width || same > room - LEAD;
  // Where little follows the difference, more of what stands before it has room.
  const near = Math.min(same - Math.min(LEAD, room >> 2), Math.max(before.length, after.length) - room + 1);
  const wanted = hidden ? Math.max(0, near) : 0;
  // A whole word before it must not push the difference out of sight, nor its first word.
  const longest = Math.max(before.length, after.length);
  const least = Math.min(longest, same + (room >> 1)) - room + 1;
  const back = wordStart(before, wanted);
  const start = hidden && back < least ? Math.min(wordAfter(before, least), safeCut(before, same)) : back;
  const long = width + wanted - start;
  return [excerpt(before, start, long), excerpt(after, start, long)];
}

/** Return `text` cut to about `width` characters near where it first differs from `other`. */
export function nearOther(text, other, width, room = width) {
  return nearDifference(text, other, width, room)[0];
}

/**
 * Return `parts` with each long unchanged stretch cut out: `[text, false, hidden characters]`, the
 * count standing where the text was. Some of it stays beside every change.
 */
export function folded(parts, keep = 140) {
  const found = [];
  parts.forEach(([text, changed], place) => {
    const before = place > 0 ? safeCut(text, keep) : 0;
    const after = place < parts.length - 1 ? wordAfter(text, text.length - keep) : text.length;
    if (changed || parts.length === 1 || after - before < 2 * keep) {
      found.push([text, changed, 0]);
      return;
    }
    if (before) found.push([text.slice(0, before), false, 0]);
    found.push(["", false, after - before]);
    if (after < text.length) found.push([text.slice(after), false, 0]);
  });
  return found;
}

/** Return the first `width` characters of `text`, whole graphemes, with `…` where it goes on. */
export function beginning(text, width) {
  return excerpt(text, 0, width);
}

function excerpt(text, start, width) {
  const end = safeCut(text, start + width);
  return (start > 0 ? "…" : "") + text.slice(start, end) + (end < text.length ? "…" : "");
}

function wordStart(text, at) {
  if (at <= 0) return 0;
  const space = text.lastIndexOf(" ", at);
  return space >= 0 && at - space < 12 ? space + 1 : safeCut(text, at);
}

function wordAfter(text, at) {
  if (at <= 0) return 0;
  const space = text.indexOf(" ", at);
  return space >= 0 && space - at < 24 ? space + 1 : safeCut(text, at);
}

/** Return a place at or before `at` where no letter with its marks, nor an emoji, is cut in two. */
export function safeCut(text, at) {
  if (at >= text.length) return text.length;
  const start = Math.max(0, at - REACH);
  let cut = 0;
  for (const part of graphemes.segment(text.slice(start, at + REACH))) {
    if (part.index > at - start) break;
    cut = part.index;
  }
  // Text that piles up marks without end is cut between characters at least.
  if (cut > 0 || at === 0) return start + cut;
  return /[\udc00-\udfff]/.test(text[at]) ? at - 1 : at;
}

const REACH = 64;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * Return JSON text of a value in its class wrapper as `AIMessage {…}`: a row of wrappers looks all
 * the same, what differs stands behind them. Other JSON text comes back as it is.
 */
export function unwrapped(json) {
  const wrapper = /^\{"\$type":"((?:[^"\\]|\\.)*)"(?:,"\$ctor":"[^"\\]*")?,"value":/.exec(json);
  if (!wrapper) return json;
  const inside = json.slice(wrapper[0].length).replace(/(?:,"\$method":"[^"\\]*")?\}$/, "");
  return `${wrapper[1].split(".").pop()} ${inside}`;
}

const AGES = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
];

/** Return how long ago `when` is, in words, from now. */
export function ago(when, now = Date.now()) {
  const seconds = (now - when.getTime()) / 1000;
  if (seconds < 0) return "in the future";
  for (const [size, unit] of AGES) {
    if (seconds >= size) return `${counted(Math.floor(seconds / size), unit)} ago`;
  }
  return "less than a minute ago";
}
