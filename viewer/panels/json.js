// Reads JSON text into flat columns in document order, without turning a number into a number.
// Pure: node can run it.

export const OBJECT = 1;
export const ARRAY = 2;
export const STRING = 3;
export const NUMBER = 4;
export const BOOLEAN = 5;
export const NULL = 6;
export const CUT = 7; // The beginning of a value that was too long to send.

export const TYPE_NAMES = ["", "object", "array", "string", "number", "boolean", "null", "cut"];

const SPACE = /[ \t\n\r]*/y;
const WORD = /[^\s,\]}]+/y;

/**
 * Grows columns: `key` (text; null at the root), `kind`, `parent`, `depth`, `end` (the row after
 * the subtree), `count` (children), `text` (which document) and `from`/`to` (where in it).
 */
export class Columns {
  constructor() {
    this.documents = [];
    this.key = [];
    this.kind = [];
    this.parent = [];
    this.depth = [];
    this.end = [];
    this.count = [];
    this.text = [];
    this.from = [];
    this.to = [];
  }

  get length() {
    return this.key.length;
  }

  /**
   * Read one document below `parent`. `visit(row, guide)` is called for each row and returns the
   * guide of its children; `guide(child key)` is asked through `descend`. Both serve to find marks
   * without building a pointer for every row.
   */
  read(source, { parent = -1, key = null, guide = undefined, hooks = NO_HOOKS } = {}) {
    const document = this.documents.push(source) - 1;
    const reader = new Reader(this, document, source, hooks);
    return reader.value(0, parent, key, guide);
  }

  /** Add a row for a value whose text was cut; `cut` is `[beginning, length, type]`. */
  readCut(cut, parent, key) {
    const document = this.documents.push(cut[0]) - 1;
    const row = this.open(CUT, parent, key, document, 0);
    this.to[row] = cut[0].length;
    this.count[row] = cut[1];
    this.end[row] = this.length;
    return row;
  }

  open(kind, parent, key, document, from) {
    const row = this.key.length;
    this.key.push(key);
    this.kind.push(kind);
    this.parent.push(parent);
    this.depth.push(parent < 0 ? 0 : this.depth[parent] + 1);
    this.end.push(row + 1);
    this.count.push(0);
    this.text.push(document);
    this.from.push(from);
    this.to.push(from);
    return row;
  }

  /** The characters of `row` as they stand in its document. */
  raw(row) {
    return this.documents[this.text[row]].slice(this.from[row], this.to[row]);
  }

  /** At most `length` characters of the JSON text at `row`. */
  rawStart(row, length) {
    const from = this.from[row];
    return this.documents[this.text[row]].slice(from, Math.min(this.to[row], from + length));
  }

  /** What a person reads: strings without quotes and escapes, other scalars as written. */
  shown(row) {
    return this.kind[row] === STRING ? unquote(this.raw(row)) : this.raw(row);
  }

  isContainer(row) {
    return this.kind[row] === OBJECT || this.kind[row] === ARRAY;
  }

  /** The JSON Pointer of `row` by its keys. */
  pointer(row) {
    const parts = [];
    for (let at = row; this.parent[at] >= 0; at = this.parent[at]) parts.push(escapeToken(this.key[at]));
    return parts.length ? `/${parts.reverse().join("/")}` : "";
  }
}

const NO_HOOKS = { descend: () => undefined, row: () => {}, item: () => {}, close: () => {} };

class Reader {
  constructor(columns, document, source, hooks) {
    this.columns = columns;
    this.document = document;
    this.source = source;
    this.hooks = hooks;
  }

  space(at) {
    SPACE.lastIndex = at;
    SPACE.test(this.source);
    return SPACE.lastIndex;
  }

  /** Read the value at `at`; return the offset after it. */
  value(at, parent, key, guide) {
    const { columns, source } = this;
    let from = at;
    let code = source.charCodeAt(from);
    if (code === 32 || code === 9 || code === 10 || code === 13) {
      from = this.space(from);
      code = source.charCodeAt(from);
    }
    if (code === 123 || code === 91) return this.container(from, code === 123, parent, key, guide);
    const kind = scalarKind(code);
    const row = columns.open(kind, parent, key, this.document, from);
    if (kind === STRING) {
      columns.to[row] = stringEnd(source, from);
    } else {
      WORD.lastIndex = from;
      if (!WORD.test(source)) throw new SyntaxError(`no value at ${from}`);
      columns.to[row] = WORD.lastIndex;
    }
    if (guide) this.hooks.row(row, guide);
    return columns.to[row];
  }

  container(from, isObject, parent, key, guide) {
    const { columns, source, hooks } = this;
    const row = columns.open(isObject ? OBJECT : ARRAY, parent, key, this.document, from);
    if (guide) hooks.row(row, guide);
    const closing = isObject ? 125 : 93;
    let at = this.space(from + 1);
    let count = 0;
    while (source.charCodeAt(at) !== closing) {
      if (count > 0) at = this.space(at + 1); // Past the comma.
      let childKey = count;
      if (isObject) {
        const end = stringEnd(source, at);
        childKey = unquote(source.slice(at, end));
        at = this.space(end) + 1; // Past the colon.
      }
      if (guide) hooks.item(row, guide, count);
      at = this.value(at, row, childKey, guide && hooks.descend(guide, childKey));
      count += 1;
      at = this.space(at);
      if (at >= source.length) throw new SyntaxError("the text ends inside a container");
    }
    if (guide) hooks.close(row, guide, count);
    columns.count[row] = count;
    columns.to[row] = at + 1;
    columns.end[row] = columns.length;
    return at + 1;
  }
}

function scalarKind(code) {
  if (code === 34) return STRING;
  if (code === 116 || code === 102) return BOOLEAN; // true, false
  return code === 110 ? NULL : NUMBER; // null; digits, minus, NaN, Infinity
}

function stringEnd(source, from) {
  let quote = source.indexOf('"', from + 1);
  while (quote >= 0) {
    let slashes = quote - 1;
    while (source.charCodeAt(slashes) === 92) slashes -= 1;
    if ((quote - slashes) % 2 === 1) return quote + 1;
    quote = source.indexOf('"', quote + 1);
  }
  throw new SyntaxError("the text ends inside a string");
}

/** Return the text between the quotes, escapes resolved. */
export function unquote(quoted) {
  return quoted.includes("\\") ? JSON.parse(quoted) : quoted.slice(1, -1);
}

/** Return one token as it stands in a JSON Pointer. */
export function escapeToken(token) {
  return String(token).replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Return the unescaped tokens of a JSON Pointer. */
export function splitPointer(pointer) {
  if (!pointer) return [];
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Whether the tokens of a pattern (null any one, `[text]` one that begins so) begin `tokens`. */
export function begins(pattern, tokens) {
  return pattern.every((want, i) => want === null || want === tokens[i] || (Array.isArray(want) && tokens[i].startsWith(want[0])));
}

/** Return the first name in `rows` (`[tokens, tail, name]`) whose pattern covers `tokens`. */
export function firstMatch(rows, tokens) {
  for (const [pattern, tail, name] of rows) {
    if (tokens.length < pattern.length || (tokens.length > pattern.length && !tail)) continue;
    if (begins(pattern, tokens)) return name;
  }
  return null;
}

/**
 * Return JSON text for people, two spaces deep, numbers as written; at most `limit` characters,
 * then a `…` line. NaN and the infinities, which JSON lacks, take their tagged form. With `sorted`
 * the members of objects stand by name, so that two texts compare whatever order they were in.
 */
export function prettyJson(columns, row, limit = Infinity, sorted = false) {
  const out = [];
  let length = 0;
  const write = (text) => {
    out.push(text);
    length += text.length;
    return length <= limit;
  };
  const value = (at, indent) => {
    if (!columns.isContainer(at)) {
      const raw = columns.raw(at);
      const bare = columns.kind[at] === NUMBER && /^-?[IN]/.test(raw);
      return write(bare ? `{"$type":"float","value":"${raw}"}` : raw);
    }
    const isObject = columns.kind[at] === OBJECT;
    const inner = `${indent}  `;
    let first = true;
    write(isObject ? "{" : "[");
    const inside = childrenOf(columns, at);
    for (const child of sorted && isObject ? byName(columns, inside) : inside) {
      const name = isObject ? `${JSON.stringify(columns.key[child])}: ` : "";
      if (!write(`${first ? "" : ","}\n${inner}${name}`) || !value(child, inner)) return false;
      first = false;
    }
    return write(`${first ? "" : `\n${indent}`}${isObject ? "}" : "]"}`);
  };
  const whole = value(row, "");
  const text = out.join("");
  return whole ? text : `${text.slice(0, limit)}\n…`;
}

/** Yield the children that are part of the value at `at`; what stands in another document was removed. */
function* childrenOf(columns, at) {
  for (let child = at + 1; child < columns.end[at]; child = columns.end[child]) {
    if (columns.text[child] === columns.text[at]) yield child;
  }
}

function byName({ key }, children) {
  return [...children].sort((a, b) => (key[a] < key[b] ? -1 : Number(key[a] > key[b])));
}
