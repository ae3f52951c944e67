// The strip: where the reader stands in a chain. Steps are painted at once. Python hears of the last
// one always: REST milliseconds after it where a panel draws steps without Python, else of the first
// one at once and then at most every PACE milliseconds.

import { inAddress, goTo } from "./asking.js";
import { oncePerFrame } from "./dom.js";
import { build, drawClock, drawControls, drawPlaced } from "./strip_controls.js";
import { carries, matching, noFilter, skipped } from "./strip_filter.js";
import { pressed } from "./strip_keys.js";
import { palette } from "./strip_look.js";
import { chainFrom, nextWhere } from "./strip_model.js";
import { layoutOf, paint } from "./strip_paint.js";
import { sentence, whereParts } from "./strip_words.js";

const PACE = 220;
const REST = 350;
const strips = new WeakMap();
// Where each strip stood last, should the page build its element anew.
const stood = new Map();
// What a person chose to see of each chain: filter, clock, unfolded gaps and subgraphs.
const views = new Map();

export default function strip({ data, key, parentElement, setStateValue, setTriggerValue }) {
  let panel = strips.get(parentElement);
  if (!panel) {
    panel = new Strip(parentElement);
    strips.set(parentElement, panel);
  }
  panel.send = setStateValue;
  panel.act = setTriggerValue;
  panel.update(data, key);
  return () => {
    panel.close();
    strips.delete(parentElement);
  };
}

class Strip {
  constructor(parent) {
    this.host = parent.host ?? parent;
    this.root = parent.querySelector(".panel");
    this.root.classList.add("strip");
    this.position = 0;
    this.base = null;
    this.grabbed = null;
    this.sent = { position: null, base: null, at: 0 };
    build(this);
    this.onKey = (event) => pressed(this, event);
    document.addEventListener("keydown", this.onKey);
    this.onGo = ({ detail }) => this.goTo(detail?.index);
    document.addEventListener("checkpointgo", this.onGo);
    this.onUntold = () => {
      this.sent = { position: null, base: undefined, at: this.sent.at };
      this.tell();
    };
    document.addEventListener("checkpointuntold", this.onUntold);
    this.resized = new ResizeObserver(oncePerFrame(() => this.chain && this.resize()));
    this.resized.observe(this.canvas);
  }

  close() {
    clearTimeout(this.timer);
    document.removeEventListener("keydown", this.onKey);
    document.removeEventListener("checkpointgo", this.onGo);
    document.removeEventListener("checkpointuntold", this.onUntold);
    this.resized.disconnect();
  }

  update(data, key) {
    this.parameters = data.parameters;
    const place = `${data.rev} ${data.turn}`;
    this.key = key;
    this.outside = data.outside === true;
    if (this.place !== place) {
      const last = stood.get(key);
      const known = last?.place === place ? last : null;
      const newChain = this.rev !== data.rev;
      // Moved from outside within one thread: the frame leaves single steps to the strip.
      const moved = this.title === data.title;
      this.place = place;
      this.rev = data.rev;
      if (newChain) this.chain = chainFrom(data);
      const chainOf = `${key} ${data.title}`;
      this.shown = views.get(chainOf) ?? { filter: noFilter(), byTime: false, unfolded: new Set(), nested: new Set() };
      views.set(chainOf, this.shown);
      this.match = matching(this.chain, this.shown.filter);
      this.position = this.inside(known?.position ?? data.selected);
      this.base = known ? known.base : data.base;
      this.sent = { position: data.selected, base: data.base, at: 0 };
      this.title = data.title;
      if (moved) this.address();
      // A step that the last page did not tell is told on this one.
      if (this.position !== data.selected || this.base !== data.base) this.timer = setTimeout(() => this.tell(), 0);
      this.announce();
    }
    this.colors = palette(this.host);
    // Drawn again only for a new chain or theme, so that a focused entry keeps the focus.
    const legendOf = `${data.rev} ${this.colors.text} ${this.colors.background}`;
    if (this.legendOf !== legendOf) drawControls(this);
    this.legendOf = legendOf;
    this.resize();
    this.root.dataset.rev = data.rev;
  }

  /** The checkpoint around which the magnified window lies. */
  get pivot() {
    return this.grabbed ?? this.position;
  }

  inside(index) {
    return Math.max(0, Math.min(this.chain.count - 1, index ?? 0));
  }

  /** Go `distance` checkpoints on; while the legend filters, that many matching ones. */
  step(distance) {
    const { hit } = this.match;
    if (!hit) this.go(this.position + distance);
    else this.goIf(skipped(hit, this.position, distance));
  }

  /** Go to the last checkpoint in `direction`, or the last matching one. */
  toEnd(direction) {
    const { hit } = this.match;
    const end = direction > 0 ? this.chain.count : -1;
    this.goIf(hit ? skipped(hit, end, -direction) : this.inside(end));
  }

  go(index) {
    const next = this.inside(index);
    if (next === this.position) return;
    this.position = next;
    this.changed();
  }

  /** Another panel asks for a step (see asking.js); one that the chain does not have is nobody's. */
  goTo(index) {
    if (Number.isInteger(index) && index >= 0 && index < this.chain.count) this.go(index);
  }

  goIf(index) {
    if (index !== null) this.go(index);
  }

  setBase(index) {
    this.base = index;
    this.changed();
  }

  /** Go to the next checkpoint with `value`; past the last one it starts from the other end. */
  toNext(facet, value, direction) {
    const { count } = this.chain;
    const wanted = (index) => carries(this.chain, facet, value, index);
    const around = direction > 0 ? -1 : count;
    const found = nextWhere(count, this.position, direction, wanted) ?? nextWhere(count, around, direction, wanted);
    this.goIf(found ?? (wanted(this.position) ? this.position : null));
    // What is wrong there is what a person wants to see: the tree goes to it.
    if (facet === "mark" && wanted(this.position)) goTo(this.position, null, true);
  }

  setFilter(filter) {
    this.shown.filter = filter;
    this.match = matching(this.chain, filter);
    this.filtered = (this.filtered ?? 0) + 1;
    this.legend.show(filter, this.match.count, this.chain.count);
    this.draw();
  }

  setClock(byTime) {
    if (this.byTime.disabled) return;
    this.shown.byTime = byTime;
    drawClock(this);
    this.resize();
  }

  unfoldGap(index) {
    this.shown.unfolded.add(index);
    drawClock(this);
    this.resize();
  }

  foldGaps() {
    const { unfolded } = this.shown;
    if (unfolded.size) unfolded.clear();
    else for (const index of this.gaps.keys()) unfolded.add(index);
    drawClock(this);
    this.resize();
  }

  toggleNested() {
    if (this.chain.nests[this.position]) this.nested.toggle(this.position);
  }

  /** Tell Python what was asked for, after where the strip stands. */
  report(what, value) {
    this.tell();
    this.act(what, value);
  }

  changed() {
    this.draw();
    const drawn = this.announce();
    stood.set(this.key, { place: this.place, position: this.position, base: this.base });
    clearTimeout(this.timer);
    const rested = performance.now() - this.sent.at;
    const pace = rested > PACE ? 0 : PACE - rested;
    this.timer = setTimeout(() => this.tell(), drawn ? REST : pace);
  }

  /** Say where the strip stands; returns whether a panel draws that without Python. */
  announce() {
    document.dispatchEvent(new CustomEvent("checkpointbase", { detail: this.base }));
    const step = new CustomEvent("checkpointstep", { detail: this.position, cancelable: true });
    return !document.dispatchEvent(step);
  }

  tell() {
    clearTimeout(this.timer);
    const { position, base, sent } = this;
    this.address();
    if (position !== sent.position) this.send("selected", position);
    if (base !== sent.base) this.send("base", base);
    this.sent = { position, base, at: performance.now() };
  }

  /** Put the position into the URL without a new entry: single steps are not places to go back to. */
  address() {
    const { checkpoint, base } = this.parameters;
    if (!checkpoint) return;
    // The frame owns the address; a page without one (the tests' harness) has no other writer.
    if (window.checkpointViewerAddress) {
      inAddress({
        [checkpoint]: this.nameOf(this.position),
        ...(base ? { [base]: this.base === null ? null : this.nameOf(this.base) } : {}),
      });
      return;
    }
    const url = new URL(window.location.href);
    url.searchParams.set(checkpoint, this.nameOf(this.position));
    if (base && this.base !== null) url.searchParams.set(base, this.nameOf(this.base));
    else if (base) url.searchParams.delete(base);
    window.history.replaceState(window.history.state, "", url);
  }

  nameOf(index) {
    return this.chain.ids[index] ?? `@${index}`;
  }

  resize() {
    const width = this.canvas.clientWidth;
    if (!width) return;
    this.layout = layoutOf(this.chain, width, this.shown);
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.layout.height * ratio);
    this.canvas.style.height = `${this.layout.height}px`;
    this.pen = this.canvas.getContext("2d");
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw();
  }

  draw() {
    if (!this.layout) return;
    const { chain, layout, position, base, pivot, filtered, outside } = this;
    const unfolded = (index) => chain.nests[index] > 0 && this.nested.has(index);
    paint(this.pen, chain, layout, this.colors, { position, base, outside, pivot, filtered, hit: this.match.hit, unfolded });
    drawPlaced(this);
    this.where.replaceChildren(...whereParts(this.chain, this.position));
    const attributes = {
      "aria-valuemin": 0,
      "aria-valuemax": this.chain.count - 1,
      "aria-valuenow": this.position,
      "aria-valuetext": `checkpoint ${this.position}, ${sentence(this.chain, this.position)}`,
    };
    for (const [name, value] of Object.entries(attributes)) this.canvas.setAttribute(name, value);
    this.root.dataset.position = this.position;
    this.root.dataset.base = this.base ?? "";
  }
}
