// The state tree: search, depth, filters, selection, path bar and reader around virtual rows.

import { SEARCH, afterQuiet, copyText, element } from "./dom.js";
import { counted } from "./text.js";
import { StateTree } from "./tree_model.js";
import { notes, oldValueOf, pathBar, reader, treeRow } from "./tree_rows.js";
import { Viewport } from "./viewport.js";

const ROW = 22;
const ALL = 1_000_000;
const trees = new WeakMap();

export default function tree({ data, parentElement, setStateValue }) {
  let panel = trees.get(parentElement);
  if (!panel) {
    panel = new TreePanel(parentElement.querySelector(".panel"));
    trees.set(parentElement, panel);
  }
  panel.send = setStateValue;
  panel.update(data);
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
    this.reading = false;
    this.readAll = false;
    // Containers opened or closed by hand, by name: they stay so in the next checkpoint.
    this.byHand = new Map();
    this.tellSoon = afterQuiet(() => this.send("selected", this.tree.pointer(this.selected)), 250);
    this.build();
    this.onSearch = () => this.input.focus();
    window.addEventListener(SEARCH, this.onSearch);
  }

  close() {
    window.removeEventListener(SEARCH, this.onSearch);
    this.view.close();
  }

  build() {
    this.input = element("input", { type: "search", placeholder: "Search keys and values  ( / )", "aria-label": "Search keys and values", spellcheck: "false" });
    const searchSoon = afterQuiet(() => this.search(this.input.value), 120);
    this.input.addEventListener("input", searchSoon);
    this.input.addEventListener("keydown", (event) => this.searchKey(event));
    this.previous = element("button", { type: "button", title: "Previous change or hit (p)", onclick: () => this.jump(-1) }, "‹ previous");
    this.next = element("button", { type: "button", title: "Next change or hit (n)", onclick: () => this.jump(1) }, "next ›");
    this.depths = [1, 2, 3, ALL].map((depth) =>
      element("button", { type: "button", title: depth === ALL ? "Open everything" : `Open ${depth} deep`, onclick: () => this.openTo(depth) }, depth === ALL ? "all" : String(depth)),
    );
    this.changedOnly = element("button", { type: "button", "aria-pressed": "false", onclick: () => this.filter("changed") });
    this.brokenOnly = element("button", { type: "button", "aria-pressed": "false", class: "wrong-text", onclick: () => this.filter("broken") });
    this.counter = element("span", { class: "count", role: "status" });
    this.view = new Viewport({ role: "tree" }, ROW, (place) => treeRow(this, this.rows[place]));
    this.view.node.addEventListener("keydown", (event) => this.key(event));
    this.view.node.addEventListener("click", (event) => this.click(event));
    this.view.node.addEventListener("dblclick", (event) => this.toggle(this.rowOf(event)));
    this.path = element("div", { class: "path" });
    this.notes = element("div", { class: "notes" });
    this.reader = element("div", { class: "reader", hidden: true, tabindex: 0, role: "region", "aria-label": "Whole value" });
    this.root.replaceChildren(
      element(
        "div",
        { class: "toolbar", role: "toolbar", "aria-label": "State tree" },
        this.input,
        this.previous,
        this.next,
        element("span", { class: "group" }, element("span", { class: "muted" }, "depth"), ...this.depths),
        this.changedOnly,
        this.brokenOnly,
        this.counter,
      ),
      this.view.node,
      this.path,
      this.notes,
      this.reader,
    );
  }

  update(data) {
    this.root.style.height = `${data.height}px`;
    if (this.rev === data.rev) return;
    const kept = this.tree ? { name: this.tree.name(this.selected), offset: this.placeOf(this.selected) * ROW - this.view.offset } : null;
    const started = performance.now();
    this.rev = data.rev;
    this.oldValues = new Map();
    this.tree = new StateTree(data);
    this.depth ??= data.depth || this.fittingDepth(data.height);
    this.hits = this.query ? this.tree.search(this.query) : null;
    this.label(data.title);
    this.applyOpen();
    const asked = data.select ?? null;
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

  label(title) {
    this.view.node.setAttribute("aria-label", title || "State");
    const changes = this.tree.changes.length;
    const broken = this.tree.broken.length;
    this.changedOnly.textContent = changes ? `only ${counted(changes, "change")}` : "no changes";
    this.changedOnly.disabled = !changes;
    this.brokenOnly.textContent = `only ${counted(broken, "violation")}`;
    this.brokenOnly.hidden = !broken;
    // A filter that would show nothing in this checkpoint rests until it does again.
    const active = { changed: changes > 0, broken: broken > 0 };
    this.filtering = this.only && active[this.only] ? this.only : null;
    this.changedOnly.setAttribute("aria-pressed", String(this.filtering === "changed"));
    this.brokenOnly.setAttribute("aria-pressed", String(this.filtering === "broken"));
  }

  applyOpen() {
    const { tree } = this;
    const { depth } = tree.columns;
    this.open = Uint8Array.from({ length: tree.length }, (_, row) => (depth[row] < this.depth ? 1 : 0));
    for (const [name, open] of this.byHand) {
      const row = tree.find(name);
      if (row !== null) this.open[row] = open ? 1 : 0;
    }
    this.depths.forEach((button, place) => button.setAttribute("aria-pressed", String([1, 2, 3, ALL][place] === this.depth)));
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
    if (this.kept && this.kept[row] && !this.tree.op.has(row)) return true;
    return this.open[row] === 1;
  }

  layout() {
    const { tree } = this;
    this.kept = null;
    if (this.hits) this.kept = tree.withAncestors(this.hits);
    else if (this.filtering) this.kept = tree.withAncestors(this.filtering === "changed" ? tree.changes : tree.broken);
    this.rows = tree.rows(this.open, this.kept);
    this.places = null;
    this.view.show(this.rows.length, this.query ? "Nothing holds this text. Esc clears the search." : "Nothing to show.");
    const parts = [];
    if (this.hits) parts.push(counted(this.hits.length, "hit"));
    parts.push(`${this.rows.length.toLocaleString("en")} of ${counted(tree.length, "row")}`);
    this.counter.textContent = parts.join(" · ");
    const stops = this.stops().length;
    this.previous.disabled = this.next.disabled = !stops;
  }

  placeOf(row) {
    if (!this.places) {
      this.places = new Map();
      this.rows.forEach((shown, place) => this.places.set(shown, place));
    }
    return this.places.get(row) ?? -1;
  }

  search(text) {
    this.query = text;
    this.hits = text ? this.tree.search(text) : null;
    this.layout();
    if (this.hits?.length) this.select(this.hits[0], true);
    else this.view.refresh();
  }

  searchKey(event) {
    event.stopPropagation();
    if (event.key === "Enter") {
      event.preventDefault();
      if (this.input.value !== this.query) this.search(this.input.value);
      else this.jump(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      this.input.value = "";
      this.search("");
      this.view.node.focus();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      this.view.node.focus();
    }
  }

  filter(name) {
    this.only = this.only === name ? null : name;
    this.label(this.view.node.getAttribute("aria-label"));
    this.layout();
    const stops = this.stops();
    if (this.filtering && stops.length && this.placeOf(this.selected) < 0) this.select(stops[0], true);
    else this.view.reveal(Math.max(0, this.placeOf(this.selected)));
    this.view.draw();
  }

  /** Where `n` and `p` stop: hits, else violations when filtered to them, else changes. */
  stops() {
    if (this.hits) return this.hits;
    return this.filtering === "broken" ? this.tree.broken : this.tree.changes;
  }

  jump(direction) {
    const stops = this.stops();
    if (!stops.length) return;
    const after = stops.findIndex((row) => row > this.selected);
    const before = stops.findLastIndex((row) => row < this.selected);
    if (direction > 0) this.select(stops[after < 0 ? 0 : after], true);
    else this.select(stops[before < 0 ? stops.length - 1 : before], true);
  }

  openAbove(row) {
    const { parent } = this.tree.columns;
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
    this.path.replaceChildren(...pathBar(this, this.selected));
    this.notes.replaceChildren(...notes(this, this.selected));
    this.reader.hidden = !this.reading;
    this.reader.replaceChildren(...(this.reading ? reader(this, this.selected) : []));
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

  /** What stood at `row` before it was replaced, as `{kind, text}`, or null. */
  oldValue(row) {
    const wire = this.tree.edit.get(row)?.old;
    if (wire === undefined || wire === null) return null;
    let known = this.oldValues.get(row);
    if (!known) this.oldValues.set(row, (known = oldValueOf(wire)));
    return known;
  }

  rowOf(event) {
    const node = event.target.closest(".row");
    return node ? Number(node.dataset.row) : null;
  }

  click(event) {
    const row = this.rowOf(event);
    if (row === null) return;
    if (event.target.closest(".caret")) this.toggle(row);
    else this.select(row);
  }

  toggle(row) {
    if (row === null || !this.tree.columns.isContainer(row)) return;
    const open = !this.isOpen(row);
    this.open[row] = open ? 1 : 0;
    this.byHand.set(this.tree.name(row), open);
    this.layout();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const place = this.placeOf(this.selected);
    const page = this.view.rowsInSight - 1;
    const { columns } = this.tree;
    const container = columns.isContainer(this.selected);
    const actions = {
      ArrowDown: () => this.step(place + 1),
      ArrowUp: () => this.step(place - 1),
      PageDown: () => this.step(place + page),
      PageUp: () => this.step(place - page),
      Home: () => this.step(0),
      End: () => this.step(this.rows.length - 1),
      ArrowRight: () => {
        if (container && !this.isOpen(this.selected)) this.toggle(this.selected);
        else if (container) this.step(place + 1);
      },
      ArrowLeft: () => {
        if (container && this.isOpen(this.selected) && !this.kept) this.toggle(this.selected);
        else if (columns.parent[this.selected] >= 0) this.select(columns.parent[this.selected], true);
      },
      Enter: () => (container ? this.toggle(this.selected) : this.read(!this.reading)),
      " ": () => this.read(!this.reading),
      n: () => this.jump(1),
      p: () => this.jump(-1),
      c: () => copyText(this.tree.pointer(this.selected)),
      "/": () => this.input.focus(),
      Escape: () => (this.reading ? this.read(false) : this.view.node.blur()),
    };
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }

  step(place) {
    if (this.rows.length) this.select(this.rows[Math.max(0, Math.min(this.rows.length - 1, place))], true);
  }
}
