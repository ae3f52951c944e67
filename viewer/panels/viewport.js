// A list of equal rows of which only those in sight are in the document.

import { element, oncePerFrame } from "./dom.js";

// Rows kept ready beyond the edges: the browser scrolls before the page hears of it.
const SPARE = 14;
// Browsers stop laying out somewhere past 16 million pixels: longer lists scroll proportionally.
const TALLEST = 12_000_000;

export class Viewport {
  /** `row(place)` returns the element at a place; `attributes` go to the scrolling element. */
  constructor(attributes, rowHeight, row) {
    this.rowHeight = rowHeight;
    this.row = row;
    this.count = 0;
    this.drawn = new Map();
    this.spacer = element("div", { class: "rows", role: "presentation" });
    this.empty = element("div", { class: "empty", hidden: true });
    this.node = element("div", { class: "viewport", tabindex: 0, ...attributes }, this.spacer, this.empty);
    this.onDraw = () => {};
    // Browsers tell of scrolling once a frame, before they paint it.
    this.node.addEventListener("scroll", () => this.draw(), { passive: true });
    this.resized = new ResizeObserver(oncePerFrame(() => this.draw()));
    this.resized.observe(this.node);
  }

  close() {
    this.resized.disconnect();
  }

  /** Show `count` rows anew; `message` stands where there are none. */
  show(count, message) {
    this.count = count;
    this.empty.hidden = count > 0;
    this.empty.textContent = message;
    this.spacer.style.height = `${this.height}px`;
    this.refresh();
  }

  get height() {
    return Math.min(this.count * this.rowHeight, TALLEST);
  }

  /** Pixels that the first row in sight is away from the top, were the list laid out in full. */
  get offset() {
    const room = this.node.clientHeight;
    const scrolls = this.height - room;
    const whole = this.count * this.rowHeight - room;
    const top = this.node.scrollTop;
    return scrolls > 0 && whole > scrolls ? (top / scrolls) * whole : top;
  }

  set offset(pixels) {
    const room = this.node.clientHeight;
    const whole = this.count * this.rowHeight - room;
    const scrolls = this.height - room;
    this.node.scrollTop = whole > scrolls && whole > 0 ? (pixels / whole) * scrolls : pixels;
  }

  get firstInSight() {
    return Math.floor(this.offset / this.rowHeight);
  }

  get rowsInSight() {
    return Math.max(1, Math.floor(this.node.clientHeight / this.rowHeight));
  }

  refresh() {
    for (const node of this.drawn.values()) node.remove();
    this.drawn.clear();
    this.draw();
  }

  /** Draw the row at `place` anew, if it is drawn at all. */
  redraw(place) {
    const old = this.drawn.get(place);
    if (!old) return;
    const made = this.row(place);
    made.style.transform = old.style.transform;
    old.replaceWith(made);
    this.drawn.set(place, made);
  }

  draw() {
    const { offset, rowHeight } = this;
    const shift = this.node.scrollTop - offset;
    const from = Math.max(0, Math.floor(offset / rowHeight) - SPARE);
    const until = Math.min(this.count, from + Math.ceil(this.node.clientHeight / rowHeight) + 2 * SPARE);
    for (const [place, node] of this.drawn) {
      if (place >= from && place < until) continue;
      node.remove();
      this.drawn.delete(place);
    }
    for (let place = from; place < until; place += 1) {
      let node = this.drawn.get(place);
      if (!node) {
        node = this.row(place);
        this.drawn.set(place, node);
        this.spacer.append(node);
      }
      node.style.transform = `translateY(${place * rowHeight + shift}px)`;
    }
    this.onDraw();
  }

  /** Scroll just so far that the row at `place` is in sight, with a row of margin. */
  reveal(place) {
    const top = place * this.rowHeight;
    const room = this.node.clientHeight;
    if (top < this.offset + this.rowHeight) this.offset = Math.max(0, top - this.rowHeight);
    else if (top > this.offset + room - 2 * this.rowHeight) this.offset = top - room + 2 * this.rowHeight;
  }
}
