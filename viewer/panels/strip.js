// The strip: where the reader stands in a chain. Steps are painted at once. Python hears of the last
// one always: REST milliseconds after it where a panel draws steps without Python, else of the first
// one at once and then at most every PACE milliseconds.

import { inAddress } from "./asking.js";
import { SEARCH, belongsElsewhere, element, oncePerFrame } from "./dom.js";
import { FINDING, VIOLATION, palette } from "./strip_look.js";
import { chainFrom, nextWhere } from "./strip_model.js";
import { indexAt, layoutOf, paint } from "./strip_paint.js";
import { helpDialog, legendEntries, sentence, tipLines, whereParts } from "./strip_words.js";

const PACE = 220;
const REST = 350;
const strips = new WeakMap();
// Where each strip stood last, should the page build its element anew.
const stood = new Map();

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
    this.build();
    this.onKey = (event) => this.press(event);
    document.addEventListener("keydown", this.onKey);
    this.onGo = ({ detail }) => this.goTo(detail?.index);
    document.addEventListener("checkpointgo", this.onGo);
    this.resized = new ResizeObserver(oncePerFrame(() => this.chain && this.resize()));
    this.resized.observe(this.canvas);
  }

  close() {
    clearTimeout(this.timer);
    document.removeEventListener("keydown", this.onKey);
    document.removeEventListener("checkpointgo", this.onGo);
    this.resized.disconnect();
  }

  build() {
    const step = (distance) => () => this.go(this.position + distance);
    this.where = element("span", { class: "where", "aria-live": "polite" });
    this.violations = element(
      "button",
      { type: "button", onclick: () => this.toMark(VIOLATION, 1) },
      "next violation ",
      element("kbd", {}, "v"),
    );
    this.legend = element("div", { class: "legend" });
    this.canvas = element("canvas", {
      tabindex: 0,
      role: "slider",
      "data-strip": true,
      "aria-label": "Checkpoint",
    });
    this.tip = element("div", { class: "tip", role: "presentation", hidden: true });
    this.help = helpDialog();
    this.root.replaceChildren(
      element(
        "div",
        { class: "toolbar", role: "toolbar", "aria-label": "Step through the chain" },
        element("button", { type: "button", title: "Previous checkpoint (←)", onclick: step(-1) }, "‹ previous"),
        element("button", { type: "button", title: "Next checkpoint (→)", onclick: step(1) }, "next ›"),
        this.where,
        element("span", { class: "spread" }),
        this.violations,
        element("button", { type: "button", title: "Keys (?)", "aria-label": "Keys", onclick: () => this.help.showModal() }, "keys ", element("kbd", {}, "?")),
      ),
      element("div", { class: "drawing" }, this.canvas),
      this.legend,
      this.tip,
      this.help,
    );
    this.pointer();
  }

  pointer() {
    const at = (event) => {
      const box = this.canvas.getBoundingClientRect();
      const inside = [event.clientX - box.left, event.clientY - box.top];
      return indexAt(this.chain, this.layout, this.pivot, ...inside);
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.canvas.setPointerCapture(event.pointerId);
      this.dragging = true;
      // While dragging in the window, the window must not slide away under the pointer.
      const top = this.canvas.getBoundingClientRect().top;
      if (event.clientY - top >= this.layout.overview) this.grabbed = this.position;
      this.goIf(at(event));
    });
    const release = () => {
      this.dragging = false;
      this.grabbed = null;
      this.draw();
    };
    this.canvas.addEventListener("pointerup", release);
    this.canvas.addEventListener("pointercancel", release);
    this.canvas.addEventListener("pointermove", (event) => {
      const index = at(event);
      if (this.dragging) this.goIf(index);
      this.showTip(index, event);
    });
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
  }

  update(data, key) {
    this.parameters = data.parameters;
    const place = `${data.rev} ${data.turn}`;
    this.key = key;
    if (this.place !== place) {
      const last = stood.get(key);
      const known = last?.place === place ? last : null;
      const newChain = this.rev !== data.rev;
      // Moved from outside within one thread: the frame leaves single steps to the strip.
      const moved = this.title === data.title;
      this.place = place;
      this.rev = data.rev;
      if (newChain) this.chain = chainFrom(data);
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
    if (this.legendOf !== legendOf) this.drawLegend();
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

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || belongsElsewhere(event)) return;
    if (this.help.open || document.querySelector("[role=dialog]")) return;
    const far = event.shiftKey ? 10 : 1;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const actions = {
      ArrowRight: () => this.go(this.position + far),
      j: () => this.go(this.position + far),
      ArrowLeft: () => this.go(this.position - far),
      k: () => this.go(this.position - far),
      Home: () => this.go(0),
      End: () => this.go(this.chain.count - 1),
      v: () => this.toMark(VIOLATION, event.shiftKey ? -1 : 1),
      f: () => this.toMark(FINDING, event.shiftKey ? -1 : 1),
      b: () => this.setBase(this.base === this.position ? null : this.position),
      d: () => {
        this.tell();
        this.act("action", "diff");
      },
      "/": () => window.dispatchEvent(new CustomEvent(SEARCH)),
      "?": () => this.help.showModal(),
    };
    if (!Object.hasOwn(actions, name)) return;
    event.preventDefault();
    event.stopPropagation();
    actions[name]();
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

  toMark(bit, direction) {
    const { count, mark } = this.chain;
    const found = nextWhere(count, this.position, direction, (index) => mark[index] & bit);
    // Past the last one it starts again from the other end.
    const around = direction > 0 ? -1 : count;
    this.goIf(found ?? nextWhere(count, around, direction, (index) => mark[index] & bit));
  }

  toPhase(phase) {
    const wanted = (index) => this.chain.phase[index] === phase;
    const found = nextWhere(this.chain.count, this.position, 1, wanted);
    this.goIf(found ?? nextWhere(this.chain.count, -1, 1, wanted));
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
    this.layout = layoutOf(this.chain, width);
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
    paint(this.pen, this.chain, this.layout, this.colors, this);
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

  showTip(index, event) {
    this.tip.hidden = index === null;
    if (index === null) return;
    this.tip.replaceChildren(...tipLines(this.chain, index));
    const box = this.root.getBoundingClientRect();
    const x = event.clientX - box.left + 14;
    const most = Math.max(4, box.width - this.tip.offsetWidth - 4);
    this.tip.style.left = `${Math.min(x, most)}px`;
    this.tip.style.top = `${event.clientY - box.top + 18}px`;
  }

  drawLegend() {
    const goTo = { phase: (phase) => this.toPhase(phase), mark: (bit) => this.toMark(bit, 1) };
    this.legend.replaceChildren(...legendEntries(this.chain, this.colors, goTo));
    this.violations.hidden = !this.chain.mark.some((bits) => bits & VIOLATION);
  }
}
