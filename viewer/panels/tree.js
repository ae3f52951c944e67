// The state tree: search, depth, filters, selection, path bar and reader around virtual rows.

import { inAddress } from "./asking.js";
import { SEARCH, afterQuiet } from "./dom.js";
import { ROW, TreeControls } from "./tree_controls.js";
import { StateTree } from "./tree_model.js";
import { notesOn, oldValueOf, pathBar, readerPages } from "./tree_rows.js";
import { Steps } from "./tree_steps.js";

const trees = new WeakMap();

export default function tree({ data, parentElement }) {
  let panel = trees.get(parentElement);
  if (!panel) {
    panel = new TreePanel(parentElement.querySelector(".panel"));
    trees.set(parentElement, panel);
  }
  panel.steps.receive(data);
  return () => {
    panel.close();
    trees.delete(parentElement);
  };
}

class TreePanel {
  constructor(root) {
    this.root = root;
    this.root.classList.add("tree");
    this.selected = 0;
    this.query = "";
    this.hits = null;
    this.only = null;
    this.unfolded = false;
    this.reading = false;
    this.readAll = false;
    // Containers opened or closed by hand, by name: they stay so in the next checkpoint.
    this.byHand = new Map();
    this.tellSoon = afterQuiet(() => inAddress({ at: this.tree.pointer(this.selected) || null }), 250);
    this.controls = new TreeControls(this);
    this.view = this.controls.view;
    this.input = this.controls.input;
    this.onSearch = () => this.input.select();
    window.addEventListener(SEARCH, this.onSearch);
    this.steps = new Steps(this.root, (payload) => this.update(payload));
  }

  close() {
    this.steps.close();
    window.removeEventListener(SEARCH, this.onSearch);
    this.view.close();
  }

  update(data) {
    this.root.style.height = `${data.height}px`;
    if (this.rev === data.rev) return;
    const started = performance.now();
    const kept = this.tree && this.whereIs(this.selected);
    this.rev = data.rev;
    this.oldValues = new Map();
    this.tree = new StateTree(data);
    this.depth ??= data.depth || this.fittingDepth(data.height);
    this.hits = this.query ? this.tree.search(this.query) : null;
    this.view.node.setAttribute("aria-label", data.title || "State");
    this.label();
    this.applyOpen();
    const asked = data.panel?.at ?? null;
    const moved = asked !== null && asked !== this.asked;
    this.asked = asked;
    const name = moved || !kept ? asked : kept.name;
    this.selected = name === null ? 0 : this.tree.nearest(name);
    if (moved || (!kept && asked !== null)) this.openAbove(this.selected);
    this.layout();
    const place = this.placeOf(this.selected);
    if (kept && !moved && place >= 0) this.view.offset = Math.max(0, place * ROW - kept.offset);
    else if (place >= 0) this.view.reveal(place);
    this.view.draw();
    this.drawSelection();
    this.root.dataset.rev = data.rev;
    this.root.dataset.rows = this.tree.length;
    this.root.dataset.milliseconds = (performance.now() - started).toFixed(0);
  }

  /** The name of `row` and how far below the upper edge it is drawn. */
  whereIs(row) {
    return { name: this.tree.name(row), offset: this.placeOf(row) * ROW - this.view.offset };
  }

  /** A filter that would show nothing in this checkpoint rests until it does again. */
  label() {
    const active = { changed: this.changes.length > 0, broken: this.tree.broken.length > 0 };
    this.filtering = this.only && active[this.only] ? this.only : null;
    this.controls.label(this.tree, this.filtering, this.unfolded);
  }

  applyOpen() {
    const { tree } = this;
    const { depth } = tree.columns;
    this.open = Uint8Array.from({ length: tree.length }, (_, row) => (depth[row] < this.depth ? 1 : 0));
    for (const [name, open] of this.byHand) {
      const row = tree.find(name);
      if (row !== null) this.open[row] = open ? 1 : 0;
    }
    this.controls.showDepth(this.depth);
  }

  /** The deepest of three levels whose rows are in sight together. */
  fittingDepth(height) {
    const { depth } = this.tree.columns;
    const atDepth = [0, 0, 0, 0];
    for (const level of depth) if (level < 4) atDepth[level] += 1;
    const room = Math.floor((height - 100) / ROW);
    if (atDepth[0] + atDepth[1] + atDepth[2] > room) return 1;
    return atDepth[0] + atDepth[1] + atDepth[2] + atDepth[3] > room ? 2 : 3;
  }

  openTo(depth) {
    this.depth = depth;
    this.byHand.clear();
    this.applyOpen();
    this.layout();
    this.view.reveal(Math.max(0, this.placeOf(this.selected)));
    this.view.draw();
  }

  /** Whether the container `row` is drawn open. */
  isOpen(row) {
    return this.kept?.[row] === 2 || this.open[row] === 1;
  }

  layout() {
    const { tree } = this;
    this.kept = null;
    if (this.hits) this.kept = tree.withAncestors(this.hits);
    else if (this.filtering) this.kept = tree.withAncestors(this.filtering === "changed" ? this.changes : tree.broken);
    this.rows = tree.rows(this.open, this.kept, this.unfolded);
    this.view.show(this.rows.length, this.query ? "Nothing holds this text. Esc clears the search." : "Nothing to show.");
    this.controls.count(this.hits, this.rows.length, tree.length, this.stops().length);
  }

  /** Where `row` stands among the rows in sight, or -1. They are in order: halve and look. */
  placeOf(row) {
    let low = 0;
    let high = this.rows.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle] === row) return middle;
      if (this.rows[middle] < row) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  search(text) {
    this.query = text;
    this.hits = text ? this.tree.search(text) : null;
    this.layout();
    if (this.hits?.length) this.select(this.hits[0], true);
    else this.view.refresh();
  }

  filter(name) {
    this.only = this.only === name ? null : name;
    this.label();
    this.layout();
    const stops = this.stops();
    if (this.filtering && stops.length && this.placeOf(this.selected) < 0) this.select(stops[0], true);
    else this.view.reveal(Math.max(0, this.placeOf(this.selected)));
    this.view.draw();
  }

  /** Where `n` and `p` stop: hits, else violations when filtered to them, else changes. */
  stops() {
    if (this.hits) return this.hits;
    return this.filtering === "broken" ? this.tree.broken : this.changes;
  }

  jump(direction) {
    const stops = this.stops();
    if (!stops.length) return;
    const after = stops.findIndex((row) => row > this.selected);
    const before = stops.findLastIndex((row) => row < this.selected);
    if (direction > 0) this.select(stops[after < 0 ? 0 : after], true);
    else this.select(stops[before < 0 ? stops.length - 1 : before], true);
  }

  get changes() {
    return this.tree.changesIn(this.unfolded);
  }

  unfold(on) {
    this.unfolded = on;
    this.label();
    this.layout();
    if (this.placeOf(this.selected) < 0) this.select(0);
    else this.view.refresh();
  }

  openAbove(row) {
    const { parent } = this.tree.columns;
    let top = row;
    while (parent[top] > 0) top = parent[top];
    if (this.tree.folded.has(top)) this.unfolded = true;
    for (let at = parent[row]; at >= 0; at = parent[at]) {
      if (this.open[at]) continue;
      this.open[at] = 1;
      this.byHand.set(this.tree.name(at), true);
    }
  }

  select(row, reveal = false) {
    if (this.placeOf(row) < 0) {
      this.openAbove(row);
      this.layout();
    }
    this.selected = row;
    this.readAll = false;
    if (reveal && this.placeOf(row) >= 0) this.view.reveal(this.placeOf(row));
    this.view.refresh();
    this.drawSelection();
    this.tellSoon();
  }

  drawSelection() {
    this.view.node.setAttribute("aria-activedescendant", `row-${this.selected}`);
    const { path, notes, reader } = this.controls;
    path.replaceChildren(...pathBar(this, this.selected));
    notes.replaceChildren(...notesOn(this, this.selected));
    reader.hidden = !this.reading;
    reader.replaceChildren(...(this.reading ? readerPages(this, this.selected) : []));
  }

  read(on) {
    this.reading = on;
    this.drawSelection();
    this.view.reveal(Math.max(0, this.placeOf(this.selected)));
  }

  showAll() {
    this.readAll = true;
    this.drawSelection();
  }

  /** What stood at `row` before it was replaced, as `oldValueOf` gives it, or null. */
  oldValue(row) {
    const wire = this.tree.edit.get(row)?.old;
    if (wire === undefined || wire === null) return null;
    let known = this.oldValues.get(row);
    if (!known) this.oldValues.set(row, (known = oldValueOf(wire)));
    return known;
  }

  toggle(row) {
    if (row === null || !this.tree.columns.isContainer(row) || this.kept?.[row] === 2) return;
    const open = !this.isOpen(row);
    this.open[row] = open ? 1 : 0;
    this.byHand.set(this.tree.name(row), open);
    this.layout();
  }

  selectParent() {
    const above = this.tree.columns.parent[this.selected];
    if (above >= 0) this.select(above, true);
  }

  step(place) {
    if (this.rows.length) this.select(this.rows[Math.max(0, Math.min(this.rows.length - 1, place))], true);
  }
}
