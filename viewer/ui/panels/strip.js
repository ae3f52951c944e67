// The strip: where the reader stands in a chain. Steps are painted at once; Python hears of the
// first step at once and of the last one always, at most every PACE milliseconds.

import { SEARCH, belongsElsewhere, element, oncePerFrame } from "./dom.js";
import { bytes, counted } from "./text.js";
import { chainFrom, markTally, nextWhere, tally } from "./strip_model.js";
import { drawMark, indexAt, layoutOf, paint, palette, phaseColor, phaseFill, VIOLATION } from "./strip_paint.js";

const PACE = 220;
const strips = new WeakMap();
// Where each strip stood last, should the page build its element anew.
const stood = new Map();

const HELP = [
  ["← →  or  k j", "previous, next checkpoint"],
  ["shift + ← →", "ten checkpoints"],
  ["Home  End", "first, last checkpoint"],
  ["v  V", "next, previous violation"],
  ["b", "compare with this checkpoint from now on (again: with the parent)"],
  ["d", "diff with the base"],
  ["/", "search in the state or the diff"],
  ["n  p", "in the state or the diff: next, previous change or hit"],
  ["Esc", "leave the search or the list, so that the arrows step again"],
  ["?", "this help"],
];

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
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
    this.resized = new ResizeObserver(oncePerFrame(() => this.chain && this.resize()));
    this.resized.observe(this.canvas);
  }

  close() {
    clearTimeout(this.timer);
    document.removeEventListener("keydown", this.onKey);
    this.resized.disconnect();
  }

  build() {
    const step = (distance) => () => this.go(this.position + distance);
    this.where = element("span", { class: "where", "aria-live": "polite" });
    this.violations = element("button", { type: "button", onclick: () => this.toViolation(1) });
    this.legend = element("div", { class: "legend" });
    this.canvas = element("canvas", {
      tabindex: 0,
      role: "slider",
      "data-strip": true,
      "aria-label": "Checkpoint",
    });
    this.tip = element("div", { class: "tip", role: "presentation", hidden: true });
    this.help = this.helpDialog();
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

  helpDialog() {
    const rows = HELP.map(([keys, what]) =>
      element("tr", {}, element("th", { scope: "row" }, element("kbd", {}, keys)), element("td", {}, what)),
    );
    const dialog = element("dialog", { "aria-label": "Keys", class: "help" });
    dialog.append(
      element("h2", {}, "Keys"),
      element("table", {}, element("tbody", {}, ...rows)),
      element("button", { type: "button", onclick: () => dialog.close() }, "Close"),
    );
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    return dialog;
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
    const place = `${key} ${data.rev} ${data.turn}`;
    if (this.place !== place) {
      const known = stood.get(place);
      const newChain = this.rev !== data.rev;
      this.place = place;
      this.rev = data.rev;
      if (newChain) this.chain = chainFrom(data);
      this.position = this.inside(known?.position ?? data.selected);
      this.base = known ? known.base : data.base;
      this.sent = { position: data.selected, base: data.base, at: 0 };
      this.title = data.title;
    }
    this.colors = palette(this.host);
    this.drawLegend();
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

  key(event) {
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
      v: () => this.toViolation(event.shiftKey ? -1 : 1),
      b: () => this.setBase(this.base === this.position ? null : this.position),
      d: () => this.act("action", "diff"),
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

  goIf(index) {
    if (index !== null) this.go(index);
  }

  setBase(index) {
    this.base = index;
    this.changed();
  }

  toViolation(direction) {
    this.toMark(VIOLATION, direction);
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
    stood.set(this.place, { position: this.position, base: this.base });
    clearTimeout(this.timer);
    const rested = performance.now() - this.sent.at;
    this.timer = setTimeout(() => this.tell(), rested > PACE ? 0 : PACE - rested);
  }

  tell() {
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
    const text = this.sentence(this.position);
    const { count, time, size } = this.chain;
    this.where.replaceChildren(
      element("b", {}, `@${this.position}`),
      element("span", { class: "muted" }, ` of ${count.toLocaleString("en")} · `),
      text,
    );
    const details = [clock(time[this.position]), size[this.position] ? bytes(size[this.position]) : ""];
    const more = details.filter(Boolean).join(" · ");
    if (more) this.where.append(element("span", { class: "muted" }, ` · ${more}`));
    const attributes = {
      "aria-valuemin": 0,
      "aria-valuemax": count - 1,
      "aria-valuenow": this.position,
      "aria-valuetext": `checkpoint ${this.position}, ${text}`,
    };
    for (const [name, value] of Object.entries(attributes)) this.canvas.setAttribute(name, value);
    this.root.dataset.position = this.position;
    this.root.dataset.base = this.base ?? "";
  }

  /** Step, status, node and marks of one checkpoint in words. */
  sentence(index) {
    const { chain } = this;
    const parts = [];
    if (chain.step[index] !== null) parts.push(`step ${chain.step[index]}`);
    const phase = chain.phases[chain.phase[index]];
    const status = chain.status[index];
    if (status && status !== phase) parts.push(phase === "unknown" ? status : `${status} (${phase})`);
    else if (phase !== "unknown") parts.push(phase);
    if (chain.node[index]) parts.push(chain.node[index]);
    chain.marks.forEach((name, bit) => {
      if (!(chain.mark[index] & (1 << bit)) || (name === "interrupt" && phase === "waiting")) return;
      const count = chain.broken[index];
      parts.push(name === "violation" ? counted(count ?? 1, "violation") : name);
    });
    if (index === chain.head) parts.push("live head");
    return parts.join(" · ");
  }

  showTip(index, event) {
    this.tip.hidden = index === null;
    if (index === null) return;
    const { chain } = this;
    const lines = [`@${index} · ${this.sentence(index)}`];
    const time = chain.time[index];
    if (time !== null) lines.push(`${new Date(time).toLocaleString()} · ${new Date(time).toISOString()}`);
    const before = chain.parent[index];
    const grown = before === null ? 0 : chain.size[index] - chain.size[before];
    const growth = grown ? ` (${grown > 0 ? "+" : "−"}${bytes(Math.abs(grown))})` : "";
    if (chain.size[index]) lines.push(`state ${bytes(chain.size[index])}${growth}`);
    if (chain.ids[index]) lines.push(chain.ids[index]);
    const changed = chain.changed(index);
    if (changed.length) lines.push(`changed: ${changed.join(", ")}`);
    this.tip.replaceChildren(...lines.map((line) => element("div", {}, line)));
    const box = this.root.getBoundingClientRect();
    const x = event.clientX - box.left + 14;
    const most = Math.max(4, box.width - this.tip.offsetWidth - 4);
    this.tip.style.left = `${Math.min(x, most)}px`;
    this.tip.style.top = `${event.clientY - box.top + 18}px`;
  }

  drawLegend() {
    const { chain } = this;
    const entries = [];
    tally(chain.phase, chain.phases.length).forEach((count, phase) => {
      if (!count) return;
      const swatch = this.swatch((pen) => {
        pen.fillStyle = phaseFill(pen, this.colors, phase);
        pen.fillRect(0, 1, 14, 12);
        pen.strokeStyle = phaseColor(this.colors, phase);
        pen.strokeRect(0.5, 1.5, 13, 11);
      });
      entries.push(this.entry(swatch, chain.phases[phase], count, () => this.toPhase(phase)));
    });
    markTally(chain.mark, chain.marks.length).forEach((count, bit) => {
      if (!count) return;
      const swatch = this.swatch((pen) => drawMark(pen, this.colors, 1 << bit, 7, 7, 5));
      entries.push(this.entry(swatch, chain.marks[bit], count, () => this.toMark(1 << bit, 1)));
    });
    this.legend.replaceChildren(...entries);
    const broken = markTally(chain.mark, 1)[0];
    this.violations.hidden = !broken;
    this.violations.replaceChildren("next violation ", element("kbd", {}, "v"));
  }

  entry(swatch, word, count, onclick) {
    const title = `Go to the next: ${word}`;
    return element(
      "button",
      { type: "button", title, onclick },
      swatch,
      `${word} `,
      element("b", {}, count.toLocaleString("en")),
    );
  }

  swatch(drawing) {
    const ratio = window.devicePixelRatio || 1;
    const canvas = element("canvas", { width: 14 * ratio, height: 14 * ratio, "aria-hidden": "true" });
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawing(pen);
    return canvas;
  }
}

function clock(time) {
  return time === null ? "" : new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}
