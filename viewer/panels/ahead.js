// The checkpoints that are at hand: each as what Python sent, its state as text or as copies from
// the text of another one. Pure: node can run it.

/** Return the text that `splices` make of `text`: `from, length` copies, a string stands as it is. */
export function spliced(text, splices) {
  const parts = [];
  for (let at = 0; at < splices.length; at += 1) {
    if (typeof splices[at] === "string") {
      parts.push(splices[at]);
    } else {
      parts.push(text.slice(splices[at], splices[at] + splices[at + 1]));
      at += 1;
    }
  }
  return parts.join("");
}

/**
 * Keeps parts by index, at most about `limit` bytes of them, those used last. A part is
 * `{index, from, state, …}`: `state` is text, or null where there is none, or splices of the text
 * of checkpoint `from`.
 */
export class AtHand {
  constructor(limit) {
    this.limit = limit;
    this.clear();
  }

  clear() {
    this.parts = new Map();
    this.texts = new Map();
    this.bytes = 0;
  }

  put(part) {
    const { index, from = null, state } = part;
    const known = this.parts.get(index);
    const ways = known ? known.ways : new Map();
    if (Array.isArray(state)) {
      const before = ways.get(from);
      if (before) return;
      ways.set(from, state);
    } else if (state !== null) {
      this.hold(index, state);
    }
    const size = 2 * JSON.stringify({ ...part, state: Array.isArray(state) ? state : null }).length;
    this.parts.delete(index);
    this.parts.set(index, { part, ways, size: size + (known?.size ?? 0), without: state === null });
    this.bytes += size;
    this.shrink(index);
  }

  /** Keep the text of checkpoint `index`. */
  hold(index, text) {
    this.letGo(index);
    this.texts.set(index, text);
    this.bytes += 2 * text.length;
  }

  letGo(index) {
    const text = this.texts.get(index);
    if (text === undefined) return;
    this.texts.delete(index);
    this.bytes -= 2 * text.length;
  }

  /** Whether `take(index)` has an answer. */
  has(index) {
    return this.parts.has(index) && (this.parts.get(index).without || this.reachable(index, new Set()));
  }

  reachable(index, passed) {
    if (this.texts.has(index)) return true;
    const known = this.parts.get(index);
    if (!known || passed.has(index)) return false;
    passed.add(index);
    return [...known.ways.keys()].some((from) => this.reachable(from, passed));
  }

  /** Return the part of checkpoint `index` with its state as text, or null if it is not at hand. */
  take(index) {
    if (!this.has(index)) return null;
    const known = this.parts.get(index);
    const state = known.without ? null : this.text(index, new Set());
    if (state !== null) this.hold(index, state);
    this.parts.delete(index);
    this.parts.set(index, known);
    this.shrink(index);
    return { ...known.part, state };
  }

  text(index, passed) {
    const text = this.texts.get(index);
    if (text !== undefined) return text;
    passed.add(index);
    for (const [from, splices] of this.parts.get(index).ways) {
      if (!passed.has(from) && this.reachable(from, new Set(passed))) {
        return spliced(this.text(from, passed), splices);
      }
    }
    throw new Error(`checkpoint ${index} is not at hand`);
  }

  /** Let go of what was used longest ago: first texts that splices make again, then parts. */
  shrink(kept) {
    for (const index of [...this.texts.keys()]) {
      if (this.bytes <= this.limit) return;
      if (index !== kept) this.letGo(index);
    }
    for (const [index, { size }] of this.parts) {
      if (this.bytes <= this.limit) return;
      if (index === kept) continue;
      this.parts.delete(index);
      this.letGo(index);
      this.bytes -= size;
    }
  }
}
