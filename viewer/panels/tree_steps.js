// Paints the checkpoint at which the strip stands: at once where it is at hand, else as soon as
// Python sends it. Neighbours are asked for ahead, in the direction of travel first.

import { AtHand } from "./ahead.js";
import { ask } from "./asking.js";
import { element } from "./dom.js";

const BYTES = 24_000_000;
const AHEAD = 24;
const BEHIND = 8;
// Of states longer than this each neighbour costs Python a good part of a second.
const LONG = 1_000_000;
const AHEAD_OF_LONG = 3;

export class Steps {
  /** `paint` draws a payload; it is told again what it has drawn when the page runs. */
  constructor(root, paint) {
    this.root = root;
    this.paint = paint;
    this.atHand = new AtHand(BYTES);
    this.chain = null;
    this.base = null;
    this.wanted = null;
    this.shown = null;
    this.heading = 1;
    this.asking = false;
    this.words = element("p", { class: "stateless", role: "status", hidden: true });
    root.append(this.words);
    this.onBase = ({ detail }) => this.compareWith(detail);
    this.onStep = (event) => {
      if (this.chain === null) return;
      event.preventDefault(); // The strip may let Python rest: this panel draws the step itself.
      this.go(event.detail);
    };
    document.addEventListener("checkpointbase", this.onBase);
    document.addEventListener("checkpointstep", this.onStep);
  }

  close() {
    clearTimeout(this.timer);
    this.chain = null;
    document.removeEventListener("checkpointbase", this.onBase);
    document.removeEventListener("checkpointstep", this.onStep);
  }

  /** Take what Python sent with a run of the page; it may be about a step that is past. */
  receive(data) {
    this.frame = data;
    if (data.chain === undefined) {
      this.paint(data);
      return;
    }
    if (this.chain !== data.chain) {
      this.atHand.clear();
      this.chain = data.chain;
      this.shown = null;
      this.base = data.base_set;
      this.wanted = data.index;
    }
    // Where the strip has gone on meanwhile, it knows better than this run.
    if (data.base_set === this.base) for (const part of [data, ...data.ahead]) this.put(part);
    this.go(this.wanted);
  }

  put(part) {
    if (part.state !== undefined) this.atHand.put(part);
  }

  compareWith(base) {
    if (base === this.base) return;
    this.base = base;
    const shown = this.shown;
    this.atHand.clear();
    this.shown = null;
    if (shown?.state) this.atHand.hold(shown.index, shown.state);
  }

  go(index) {
    if (this.shown && index !== this.shown.index) this.heading = index > this.shown.index ? 1 : -1;
    this.wanted = index;
    const part = this.shown?.index === index ? this.shown : this.atHand.take(index);
    if (part) this.show(part);
    else this.wait();
  }

  show(part) {
    const { root } = this;
    this.shown = part;
    delete root.dataset.waiting;
    root.removeAttribute("aria-busy");
    root.dataset.index = part.index;
    this.words.hidden = part.state !== null;
    root.toggleAttribute("data-stateless", part.state === null);
    if (part.state === null) {
      this.words.textContent = part.words;
      root.dataset.rev = part.rev;
    } else {
      this.paint({ ...this.frame, ...part });
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.lookAhead(), 0);
  }

  /** What is drawn stays, dimmed and under its own number, until what is wanted is there. */
  wait() {
    this.root.dataset.waiting = this.wanted;
    this.root.setAttribute("aria-busy", "true");
    const known = [...this.atHand.texts.keys()].pop() ?? null;
    // A person who steps is further on when the answer comes; one who jumps is there.
    const near = this.shown !== null && Math.abs(this.wanted - this.shown.index) <= AHEAD;
    this.fetch(known, this.wanted, this.heading, near ? BEHIND : 1);
  }

  /** The last checkpoint from the shown one on that can be painted at once. */
  edge(towards) {
    let at = this.shown.index;
    while (Math.abs(at - this.shown.index) < AHEAD && this.atHand.has(at + towards)) at += towards;
    return at;
  }

  lookAhead() {
    if (this.chain === null || this.asking || this.shown?.index !== this.wanted) return;
    const last = this.frame.count - 1;
    const reach = (this.shown.state?.length ?? 0) > LONG ? AHEAD_OF_LONG : AHEAD;
    for (const [towards, enough] of [[this.heading, reach], [-this.heading, Math.min(reach, BEHIND)]]) {
      const edge = this.edge(towards);
      const next = edge + towards;
      if (next < 0 || next > last || Math.abs(edge - this.shown.index) >= enough) continue;
      this.fetch(this.atHand.has(edge) ? edge : null, next, towards, reach);
      return;
    }
  }

  /** Ask for `count` checkpoints from `index` on; one question at a time, the rest waits for it. */
  async fetch(from, index, towards, count) {
    if (this.asking) return;
    this.asking = true;
    const { chain, base } = this;
    const mine = () => this.chain === chain && this.base === base;
    let trouble = null;
    try {
      const parts = await ask("states", { chain, base_set: base, from, index, towards, count });
      if (mine()) for (const part of parts) this.put(part);
    } catch (error) {
      trouble = error.message;
    }
    this.asking = false;
    if (this.chain === null) return;
    if (this.shown?.index === this.wanted) {
      if (trouble === null) this.lookAhead();
    } else if (trouble === null || !mine() || index !== this.wanted) {
      this.go(this.wanted);
    } else {
      this.show({ index, state: null, rev: `${chain} ${index}`, words: trouble });
      this.shown = null; // To be asked for again.
    }
  }
}
