// Search over the keys and values of a state: plain text over the whole document at once, regular
// expressions in a worker that can be stopped. What matches is a matter of what a person reads:
// strings without quotes and escapes. Pure but for the worker: node can run it.

/** Milliseconds that a regular expression may take over one state before it is stopped. */
export const BUDGET = 2_000;

/** Return the rows whose key or scalar value holds `needle`, in order. */
export function plainHits(tree, needle, cased = false) {
  const { columns } = tree;
  const wanted = cased ? needle : needle.toLowerCase();
  const holds = (row) => {
    const key = columns.key[row];
    const has = (text) => (cased ? text : text.toLowerCase()).includes(wanted);
    return (typeof key === "string" && has(key)) || (!columns.isContainer(row) && has(columns.shown(row)));
  };
  const matching = (considered) => {
    const found = [];
    for (let row = 0; row < columns.length; row += 1) if (considered(row) && holds(row)) found.push(row);
    return found;
  };
  const whole = cased ? columns.documents[0] : (tree.lower ??= columns.documents[0].toLowerCase());
  // Lower case of a few letters is longer: then places in the text do not agree.
  if (whole.length !== columns.documents[0].length) return matching(() => true);
  const removed = columns.documents.length > 1 ? matching((row) => columns.text[row] !== 0) : [];
  const hits = hitsInText(columns, whole, wanted, holds);
  return removed.length ? [...hits, ...removed].sort((a, b) => a - b) : hits;
}

/** Search the text of the whole state at once; each place found is then looked at as a value. */
function hitsInText(columns, whole, wanted, holds) {
  const { from, to, text, length } = columns;
  const written = JSON.stringify(wanted).slice(1, -1);
  const hits = [];
  let row = 0;
  let next = 1;
  const skipRemoved = () => {
    while (next < length && text[next] !== 0) next += 1;
  };
  skipRemoved();
  for (let at = whole.indexOf(written); at >= 0; ) {
    while (next < length && from[next] <= at) {
      row = next;
      next += 1;
      skipRemoved();
    }
    // Behind a value, and in front of everything in a container, stands the key of the next row.
    const inside = !columns.isContainer(row) && at < to[row];
    const found = inside ? row : next;
    if (found >= length) break;
    if (hits[hits.length - 1] !== found && holds(found)) hits.push(found);
    at = whole.indexOf(written, inside ? to[row] : from[next]);
  }
  return hits;
}

/** Finds plain text. `inKey` and `inValue` say where in a text that is drawn it stands. */
export class TextFinder {
  constructor(text, cased) {
    this.text = text;
    this.cased = cased;
  }

  inKey(row, key) {
    return this.places(key);
  }

  inValue(row, text) {
    return this.places(text);
  }

  /** Where in the whole value the first hit begins, or -1. */
  first(row, text) {
    return this.fold(text).indexOf(this.fold(this.text));
  }

  fold(text) {
    return this.cased ? text : text.toLowerCase();
  }

  places(text) {
    const folded = this.fold(text);
    const wanted = this.fold(this.text);
    const found = [];
    // Lower case of a few letters is longer: then places do not agree, and nothing is marked.
    if (folded.length !== text.length) return found;
    for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + wanted.length)) {
      found.push([at, at + wanted.length]);
    }
    return found;
  }
}

/** Remembers where a regular expression matched: it is never run again where it could hang. */
export class PatternFinder {
  constructor() {
    this.found = new Map();
  }

  /** Take over hits `[row, in the key or null, in the value or null]`. */
  take(hits) {
    for (const [row, key, value] of hits) this.found.set(row, { key, value });
  }

  inKey(row) {
    const place = this.found.get(row)?.key;
    return place ? [place] : [];
  }

  inValue(row) {
    const place = this.found.get(row)?.value;
    return place ? [place] : [];
  }

  first(row) {
    return this.found.get(row)?.value?.[0] ?? -1;
  }
}

/** Return the expression, or the reason why `source` is none. */
export function expressionOf(source, cased) {
  const flags = cased ? "" : "i";
  try {
    return { expression: new RegExp(source, `${flags}u`) };
  } catch {
    // Escapes that mean nothing (`\-`, `\_`) are errors only where letters are whole code points.
  }
  try {
    return { expression: new RegExp(source, flags) };
  } catch (error) {
    return { error: error.message.replace(/^Invalid regular expression: /, "") };
  }
}

/**
 * Match `expression` against each key and scalar; `report(hits, rows done)` is called every now and
 * then. Runs in a worker, so it names nothing outside itself.
 */
export function patternHits({ documents, keys, scalars, strings, texts, from, to }, expression, report) {
  let hits = [];
  let told = Date.now();
  const placeIn = (text) => {
    const match = expression.exec(text);
    return match ? [match.index, match.index + match[0].length] : null;
  };
  for (let row = 0; row < scalars.length; row += 1) {
    const key = typeof keys[row] === "string" ? placeIn(keys[row]) : null;
    let value = null;
    if (scalars[row]) {
      const raw = documents[texts[row]].slice(from[row], to[row]);
      const quoted = strings[row] === 1;
      value = placeIn(quoted ? (raw.includes("\\") ? JSON.parse(raw) : raw.slice(1, -1)) : raw);
    }
    if (key || value) hits.push([row, key, value]);
    if (row % 64 === 0 && Date.now() - told > 60) {
      report(hits, row + 1);
      hits = [];
      told = Date.now();
    }
  }
  report(hits, scalars.length);
}

/** What of a tree `patternHits` reads, ready to be sent to a worker. */
export function searchable(tree) {
  const { columns } = tree;
  const { length } = columns;
  const scalars = new Uint8Array(length);
  const strings = new Uint8Array(length);
  for (let row = 0; row < length; row += 1) {
    scalars[row] = columns.isContainer(row) ? 0 : 1;
    strings[row] = tree.isText(row) ? 1 : 0;
  }
  const [texts, from, to] = [columns.text, columns.from, columns.to].map((column) => new Uint32Array(column));
  return { documents: columns.documents, keys: columns.key, scalars, strings, texts, from, to };
}

/** One search by a regular expression under way: `done({stopped, rows})` once, `some(hits)` before. */
export class PatternSearch {
  constructor(tree, expression, { some, done }) {
    const code = `const search = ${patternHits};
      onmessage = ({ data: [given, expression] }) => {
        search(given, expression, (hits, rows) => postMessage([hits, rows]));
        postMessage(null);
      };`;
    this.address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    this.worker = new Worker(this.address);
    this.rows = 0;
    this.worker.onmessage = ({ data }) => {
      if (data === null) return this.end(done, false);
      this.rows = data[1];
      return some(data[0]);
    };
    this.worker.onerror = () => this.end(done, true);
    this.worker.postMessage([searchable(tree), expression]);
    this.timer = setTimeout(() => this.end(done, true), BUDGET);
  }

  end(done, stopped) {
    this.close();
    done({ stopped, rows: this.rows });
  }

  close() {
    clearTimeout(this.timer);
    this.worker.terminate();
    URL.revokeObjectURL(this.address);
  }
}
