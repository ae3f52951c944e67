// The state tree: search, depth, filters, selection, path bar and reader around virtual rows.

import { inAddress } from "./asking.js";
import { SEARCH, afterQuiet } from "./dom.js";
import { ROW, TreeControls } from "./tree_controls.js";
import { Meanings, filterText, filterWords } from "./tree_filter.js";
import { Hunt } from "./tree_hunt.js";
import { Pins, memoryOf } from "./tree_memory.js";
import { StateTree } from "./tree_model.js";
import { notesOn, pathBar } from "./tree_path.js";
import { pinnedRows } from "./tree_pins.js";
import { readerPages } from "./tree_reader.js";
import { oldValueOf } from "./tree_rows.js";
import { TreeSought } from "./tree_sought.js";
import { Steps } from "./tree_steps.js";

// Pixels: what stands above the tree on its page, and what it needs to be of use.
const ABOVE = 330;
const LEAST = 460;
const trees = new WeakMap();

export default function tree({ data, key, parentElement }) {
  let panel = trees.get(parentElement);
  if (!panel) {
    panel = new TreePanel(parentElement.querySelector(".panel"), key);
    trees.set(parentElement, panel);
  }
  panel.steps.receive(data);
  return () => {
    panel.close();
    trees.delete(parentElement);
  };
}

class TreePanel extends TreeSought {
  constructor(root, key) {
    super();
    this.root = root;
    this.key = key;
    this.root.classList.add("tree");
    this.hunt = new Hunt();
    this.selected = 0;
    this.readAll = false;
    this.wrapped = true;
    this.going = null;
    this.tellSoon = afterQuiet(() => this.tellAddress(), 250);
    this.countSoon = afterQuiet(() => this.toolbar.labelCounts(this.tree, this.meanings, this.memory.words), 120);
    this.controls = new TreeControls(this);
    this.toolbar = this.controls.toolbar;
    this.inspector = this.controls.inspector;
    this.view = this.controls.view;
    this.listen();
    this.steps = new Steps(this.root, (payload) => this.update(payload));
  }

  listen() {
    this.onSearch = () => this.toolbar.input.select();
    this.onGo = ({ detail }) => this.goThere(detail);
    this.onStep = ({ detail }) => {
      if (this.going && this.going.index !== detail) this.going = null;
    };
    window.addEventListener(SEARCH, this.onSearch);
    document.addEventListener("checkpointgo", this.onGo);
    document.addEventListener("checkpointstep", this.onStep);
    this.resized = new ResizeObserver(afterQuiet(() => this.tree && this.inspector.beside !== this.besides && this.drawSelection(), 60));
    this.resized.observe(this.root);
  }

  close() {
    this.steps.close();
    this.hunt.forget();
    this.resized.disconnect();
    window.removeEventListener(SEARCH, this.onSearch);
    document.removeEventListener("checkpointgo", this.onGo);
    document.removeEventListener("checkpointstep", this.onStep);
    this.controls.close();
  }

  /** Draw a checkpoint: `data` is the payload of `viewer.panels.tree`. */
  update(data) {
    // It ends where the window ends, as far as there is room.
    this.root.style.height = `max(${Math.min(data.height, LEAST)}px, min(${2 * data.height}px, 100vh - ${ABOVE}px))`;
    const stays = this.memory !== undefined && this.about.thread === (data.thread ?? "");
    const fresh = this.rev !== data.rev || !stays;
    if (!stays) this.remember(data);
    const asked = this.wishes(data);
    if (!fresh && !asked) return;
    const started = performance.now();
    const before = stays && this.tree ? this.whereIs(this.selected) : null;
    this.about = { thread: data.thread ?? "", index: data.index ?? null, base: data.base ?? null };
    if (fresh) this.take(data);
    if (asked) this.follow(asked);
    this.applyOpen();
    this.hunt.run(this.tree, () => this.found(false));
    const { wanted } = this.memory;
    this.selected = wanted === null ? 0 : this.rowOf(wanted);
    if (asked) this.openAbove(this.selected);
    this.layout();
    const place = this.placeOf(this.selected);
    if (before && !asked && place >= 0) this.view.offset = Math.max(0, place * ROW - before.offset);
    else if (place >= 0) this.view.reveal(place);
    this.view.draw();
    this.drawSelection();
    this.countSoon();
    Object.assign(this.root.dataset, { rev: data.rev, rows: this.tree.length, milliseconds: (performance.now() - started).toFixed(0) });
  }

  remember(data) {
    this.memory = memoryOf(this.key, data.thread ?? "");
    this.pins = new Pins(data.thread ?? "");
    this.about = { thread: data.thread ?? "" };
    // Drawn anew where a person stood already: the address is to say so.
    if (this.memory.turn !== null && this.memory.turn === data.panel?.turn) this.tellSoon();
  }

  /** What the address or a link to another step asks for, once; null when it asks for nothing. */
  wishes(data) {
    const { panel } = data;
    if (this.going && this.going.index === data.index) {
      const { at, marked } = this.going;
      this.going = null;
      this.tellSoon();
      return marked ? { marked } : { at };
    }
    if (!panel || this.memory.turn === (panel.turn ?? 0)) return null;
    this.memory.turn = panel.turn ?? 0;
    return panel;
  }

  follow(asked) {
    if (asked.marked) this.memory.wanted = this.firstMarked() ?? this.memory.wanted;
    if (asked.at !== undefined) this.memory.wanted = asked.at;
    if (asked.filter !== undefined) this.memory.words = filterWords(asked.filter);
    if (asked.view !== undefined) this.memory.reading = asked.view === "reader";
  }

  take(data) {
    this.rev = data.rev;
    this.oldValues = new Map();
    this.wholes = new Map();
    this.readAll = false;
    this.tree = new StateTree(data);
    this.meanings = new Meanings(this.tree);
    this.memory.depth ??= data.depth || this.fittingDepth(this.root.clientHeight);
    this.view.node.setAttribute("aria-label", data.title || "State");
  }

  /** The row at a pointer, or at a name that begins with a minus; else the nearest above it. */
  rowOf(wanted) {
    return (wanted.startsWith("-") ? null : this.tree.at(wanted)) ?? this.tree.nearest(wanted);
  }

  goThere({ index, at = null, marked = false }) {
    if (at === null && !marked) return;
    this.going = { index, at, marked };
    if (this.about?.index !== index || !this.tree) return;
    const place = marked ? this.firstMarked() : at;
    if (place === null) this.going = null;
    else this.goToPointer(place);
  }

  /** The pointer of the first place that a violation or finding marks, or null. */
  firstMarked() {
    const [row] = this.tree.broken;
    return row === undefined ? null : this.tree.pointer(row);
  }

  goToPointer(pointer) {
    this.going = null;
    this.memory.wanted = pointer;
    const row = this.rowOf(pointer);
    if (this.placeOf(row) < 0) this.openAbove(row);
    this.layout();
    this.choose(row, true);
  }

  tellAddress() {
    const { wanted, words, reading } = this.memory;
    const at = wanted?.replace(/^-/, "") || null;
    inAddress({ at, view: reading ? "reader" : null, filter: filterText(words) });
  }

  /** The name of `row` and how far below the upper edge it is drawn. */
  whereIs(row) {
    return { name: this.tree.name(row), offset: this.placeOf(row) * ROW - this.view.offset };
  }

  get reading() {
    return this.memory.reading;
  }

  /** Select `row` as a person does: it is what stays selected in the next checkpoint. */
  select(row, reveal = false) {
    this.memory.wanted = row === 0 ? null : this.tree.name(row);
    this.choose(row, reveal);
  }

  choose(row, reveal) {
    if (this.placeOf(row) < 0) {
      this.openAbove(row);
      this.layout();
    }
    this.selected = row;
    this.readAll = false;
    if (reveal && this.placeOf(row) >= 0) this.view.reveal(this.placeOf(row));
    this.refresh();
    this.tellSoon();
  }

  refresh() {
    this.view.refresh();
    this.drawSelection();
  }

  drawSelection() {
    const { wanted } = this.memory;
    const pointer = wanted?.replace(/^-/, "");
    this.lost = wanted !== null && this.tree.at(pointer) === null ? pointer : null;
    this.view.node.setAttribute("aria-activedescendant", `row-${this.selected}`);
    this.controls.path.replaceChildren(...pathBar(this, this.selected));
    this.besides = this.inspector.beside;
    this.controls.notes.replaceChildren(...notesOn(this, this.selected));
    this.controls.path.after(this.controls.notes);
    this.inspector.draw(); // Takes the notes in, while it is open.
    this.toolbar.inspect.setAttribute("aria-pressed", String(this.inspector.open));
    const stops = this.stopsHere;
    const counts = { stops: stops.length, place: stops.indexOf(this.selected), outside: this.outside };
    this.toolbar.count({ searched: this.hunt.hits !== null, ...counts, shown: this.rows.length, all: this.tree.length });
    this.drawReader();
  }

  drawReader() {
    const { reader } = this.controls;
    reader.hidden = !this.reading;
    reader.classList.toggle("unwrapped", !this.wrapped);
    reader.replaceChildren(...(this.reading ? readerPages(this, this.selected) : []));
  }

  pinsDrawn() {
    this.controls.pins.hidden = !this.pins.pointers.length;
    this.controls.pins.replaceChildren(...pinnedRows(this));
  }

  pin(row) {
    this.unpin(this.tree.pointer(row));
  }

  unpin(pointer) {
    this.pins.toggle(pointer);
    this.pinsDrawn();
    this.drawSelection();
  }

  read(on) {
    this.memory.reading = on;
    this.drawSelection();
    this.view.reveal(Math.max(0, this.placeOf(this.selected)));
    this.tellSoon();
  }

  wrap(on) {
    this.wrapped = on;
    this.drawReader();
  }

  showAll() {
    this.readAll = true;
    this.drawReader();
  }

  /** What stood at `row` before it was replaced, as `oldValueOf` gives it, or null. */
  oldValue(row) {
    const wire = this.tree.edit.get(row)?.old;
    if (wire === undefined || wire === null) return null;
    let known = this.oldValues.get(row);
    if (!known) this.oldValues.set(row, (known = oldValueOf(wire)));
    return known;
  }
}
