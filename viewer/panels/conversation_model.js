// The words and numbers of the conversation, apart from any page: tested by node.

/** `5 mentions: user 1, model 3, tool refusal 1` */
export function tallyWords({ count, by }) {
  if (!count) return "0 mentions in the messages";
  const writers = by.map(([who, times]) => `${who} ${times}`).join(", ");
  return `${count} mention${count === 1 ? "" : "s"}: ${writers}`;
}

/** `0 rows of evidence returned it · 1 row names it` */
export function proofWords({ returned, named }, declared) {
  if (!declared) return "no evidence is declared here";
  const rows = `${returned} row${returned === 1 ? "" : "s"} of evidence returned it`;
  const names = named === 1 ? "1 row only names it" : `${named} rows only name it`;
  return named ? `${rows} · ${names}` : rows;
}

/** Whether a tool returned an identifier: proven, unproven, or unknown where no evidence is declared. */
export function standingOf(one, declared) {
  if (!declared) return "unknown";
  return (one?.returned ?? 0) > 0 ? "proven" : "unproven";
}

/** The mention after `at` (-1: none yet) in `direction` among `total`; it starts again at the other end. */
export function mentionAfter(at, direction, total) {
  if (!total) return -1;
  if (at < 0) return direction > 0 ? 0 : total - 1;
  return (at + direction + total) % total;
}

/**
 * Return marked JSON text with line breaks and indents, every other character as it was written.
 * Blanks outside texts are dropped; identifiers keep their place, whatever they span.
 */
export function prettyPieces(pieces) {
  const state = { depth: 0, inside: false, escaped: false, last: "" };
  const laid = pieces.map((piece) => {
    const identifier = Array.isArray(piece);
    const text = Array.from(identifier ? piece[0] : piece, (character) => laidOut(character, state)).join("");
    return identifier ? [text] : text;
  });
  return laid.filter((piece) => piece !== "");
}

function laidOut(character, state) {
  if (state.inside) {
    if (state.escaped) state.escaped = false;
    else if (character === "\\") state.escaped = true;
    else if (character === '"') state.inside = false;
    state.last = character;
    return character;
  }
  if (/\s/.test(character)) return "";
  const opens = character === "{" || character === "[";
  const closes = character === "}" || character === "]";
  const empty = closes && (state.last === "{" || state.last === "[");
  if (closes) state.depth -= 1;
  const afterOpen = (state.last === "{" || state.last === "[") && !closes;
  const breaks = afterOpen || state.last === "," || (closes && !empty);
  if (opens) state.depth += 1;
  state.inside = character === '"';
  state.last = character;
  const indent = breaks ? `\n${"  ".repeat(Math.max(state.depth - (opens ? 1 : 0), 0))}` : "";
  return `${indent}${character}${character === ":" ? " " : ""}`;
}

/** How many of the marked pieces are identifiers called `id`. */
export function mentionsIn(pieces, id) {
  return pieces.filter((piece) => Array.isArray(piece) && piece[0] === id).length;
}

/** The length of marked text in characters. */
export function lengthOf(pieces) {
  return pieces.reduce((sum, piece) => sum + (Array.isArray(piece) ? piece[0].length : piece.length), 0);
}
