// What a tree keeps while the page builds its element anew, and while a person is in the same tab.

const memories = new Map();

/** Return what the tree mounted as `key` knows of `thread`: nothing yet where it is new. */
export function memoryOf(key, thread) {
  const name = `${key} ${thread}`;
  let memory = memories.get(name);
  if (!memory) {
    memory = { turn: null, wanted: null, depth: null, byHand: new Map(), words: new Set(), unfolded: false, reading: false };
    memories.set(name, memory);
  }
  return memory;
}

/** Places that stay in sight while stepping, kept for a thread as long as the tab lives. */
export class Pins {
  constructor(thread) {
    this.name = `checkpoint-viewer pins ${thread}`;
    this.pointers = listed(kept("session", this.name));
  }

  has(pointer) {
    return this.pointers.includes(pointer);
  }

  toggle(pointer) {
    if (this.has(pointer)) this.pointers = this.pointers.filter((known) => known !== pointer);
    else this.pointers = [...this.pointers, pointer];
    keep("session", this.name, this.pointers);
  }
}

function listed(value) {
  return Array.isArray(value) ? value.filter((pointer) => typeof pointer === "string") : [];
}

/** Return what was kept under `name` in the `session` or `local` storage, or null. */
export function kept(where, name) {
  try {
    return JSON.parse(storage(where).getItem(name));
  } catch {
    return null; // Storage is refused, or somebody else's text stands there.
  }
}

/** Keep `value` under `name`, where the browser lets us. */
export function keep(where, name, value) {
  try {
    storage(where).setItem(name, JSON.stringify(value));
  } catch {
    // Then it lives as long as the page.
  }
}

function storage(where) {
  return where === "local" ? window.localStorage : window.sessionStorage;
}
