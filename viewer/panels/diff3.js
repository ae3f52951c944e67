// The diff: views, filters, keys and selection around virtual rows, panes below.

import { SEARCH } from "./dom.js";
import { nameFor } from "./diff3_cells.js";
import { DiffControls } from "./diff3_controls.js";
import { detail } from "./diff3_detail.js";
import { noFilters } from "./diff3_filters.js";
import { Folds } from "./diff3_folds.js";
import { Changes, shownModal } from "./diff3_model.js";
import { observed } from "./diff3_observed.js";
import { Standing } from "./diff3_standing.js";

const diffs = new WeakMap();

export default function diff3({ data, key, parentElement, setTriggerValue }) {
  let panel = diffs.get(parentElement);
  if (!panel) {
    panel = new DiffPanel(parentElement.querySelector(".panel"), key);
    diffs.set(parentElement, panel);
  }
  panel.send = setTriggerValue;
  panel.update(data);
  return () => {
    panel.close();
    diffs.delete(parentElement);
  };
}

class DiffPanel {
  constructor(root, key) {
    this.root = root;
    this.standing = new Standing(this, key);
    this.folds = new Folds(this);
    this.root.classList.add("diff3");
    this.filters = noFilters();
    this.byNode = false;
    this.look = "split";
    this.ignored = new Set();
    this.rows = [];
    this.place = -1;
    // The pointer that is selected, or would be if the pair had a change there.
    this.at = null;
    this.observing = false;
    this.wholeObservation = false;
    this.readAll = false;
    this.parsed = false;
    this.pathWidth = null;
    this.controls = new DiffControls(this);
    this.view = this.controls.list;
    this.onSearch = () => this.controls.input.select();
    window.addEventListener(SEARCH, this.onSearch);
  }

  close() {
    window.removeEventListener(SEARCH, this.onSearch);
    this.standing.close();
    this.controls.close();
  }

  update(data) {
    this.root.style.height = `${data.height}px`;
    const turned = this.standing.follow(data.panel ?? null);
    if (this.rev === data.rev && !turned) return;
    if (this.rev !== data.rev) {
      this.rev = data.rev;
      this.changes = new Changes(data);
      this.folds.known.clear();
      this.readAll = false;
      this.at ??= data.select !== this.asked ? data.select : null;
      this.asked = data.select;
    }
    this.controls.drawFrame();
    this.place = -1;
    this.layout();
    this.view.offset = 0;
    // This writes the address too: the frame may have written that of a pair without what is here.
    this.pick(this.find(this.at), this.at);
    this.folds.fetchOpen();
    this.root.dataset.rev = data.rev;
    this.root.dataset.rows = this.changes.entries.length;
  }

  /** Select the change at the pointer `at`, or the one that holds it, whatever hides it. */
  goToChange(at) {
    if (this.find(at) < 0) this.clearFilters();
    this.showObserved(false);
    this.pick(this.find(at), at);
    this.view.node.focus();
  }

  /** The row of the change at `at` or around it, its folds opened; -1 for none. */
  find(at) {
    if (at === null) return -1;
    const { named } = this.changes;
    let name = at;
    while (!named.has(name) && name.includes("/")) name = name.slice(0, name.lastIndexOf("/"));
    const entry = named.get(name);
    if (!entry || (name === "" && at !== "")) return -1;
    const place = () => this.rows.findIndex((row) => row.entry === entry);
    if (place() < 0) {
      this.folds.openAround(entry);
      this.layout();
    }
    return place();
  }

  observationTitle() {
    const { observation } = this.changes.payload;
    return `model ${shownModal(observation)} shown · ${observation}`;
  }

  owner(pointer) {
    return nameFor(this.changes.payload.owners, pointer);
  }

  plane(pointer) {
    return nameFor(this.changes.payload.planes, pointer);
  }

  get entry() {
    return this.rows[this.place]?.entry ?? null;
  }

  layout() {
    const { filters, ignored, byNode } = this;
    const { open, known } = this.folds;
    const { rows, shown } = this.changes.rows({ filters, open, ignored, byNode, known, unified: this.look === "unified" });
    this.rows = rows;
    this.controls.stuck = null;
    this.controls.sticky.hidden = true;
    this.view.node.setAttribute("aria-rowcount", rows.length + 1);
    const nothing = this.changes.entries.length ? "No change passes these filters." : "No differences: base and target are the same.";
    this.controls.drawCounts(shown);
    this.view.show(rows.length, nothing);
  }

  toggleFilter(kind, name) {
    if (!this.filters[kind].delete(name)) this.filters[kind].add(name);
    this.relayout(true);
  }

  chooseOnly(kind, name) {
    this.filters[kind] = new Set(name ? [name] : []);
    this.relayout(true);
  }

  clearFilters() {
    this.filters = noFilters();
    this.controls.input.value = "";
    this.relayout(true);
  }

  filterText(text) {
    this.filters.query = text;
    this.relayout();
  }

  lookAs(look) {
    this.look = look;
    this.controls.drawFrame();
    this.relayout(true);
  }

  group() {
    this.byNode = !this.byNode;
    this.controls.drawFrame();
    this.relayout(true);
  }

  /** Set the place `pointer` and all below it aside for now. */
  ignore(pointer) {
    const place = this.place;
    this.ignored.add(pointer);
    this.at = null;
    this.relayout();
    this.step(place);
  }

  bringBack() {
    this.ignored.clear();
    this.relayout();
  }

  swap() {
    this.send("action", "swap");
  }

  /** Lay out anew, then find the selected change among the new rows. */
  relayout(push = false) {
    const { entry } = this;
    this.layout();
    this.pick(entry ? this.rows.findIndex((row) => row.entry === entry) : -1, this.at, push);
  }

  click(event) {
    const node = event.target.closest(".row");
    if (!node) return;
    const place = Number(node.dataset.place);
    if (this.rows[place]?.entry) this.observing = false;
    this.pick(place);
    this.folds.turn(place);
  }

  /**
   * Select the row at `place`, -1 for none. `at` stays in the address where no change is there;
   * `push` makes an entry of its own of it.
   */
  pick(place, at = null, push = false) {
    const before = this.place;
    const old = this.entry;
    this.place = place;
    const { entry } = this;
    if (entry !== old) this.readAll = this.parsed = false;
    this.at = entry ? entry.name : at;
    this.drawPanes();
    if (place >= 0) this.view.reveal(place);
    if (place !== before) for (const changed of this.drawnWith(old, before, entry, place)) this.view.redraw(changed);
    this.view.draw();
    this.standing.write(push);
  }

  /** The drawn places whose look depends on what was and what is selected. */
  drawnWith(old, before, entry, place) {
    const touched = (at) => at === before || at === place || (this.rows[at]?.entry && [old, entry].includes(this.rows[at].entry));
    return [...this.view.drawn.keys()].filter(touched);
  }

  drawPanes() {
    const { entry } = this;
    const { detail: pane, observed: other, shown } = this.controls;
    const isPatch = this.look === "patch";
    pane.hidden = !entry || this.observing || isPatch;
    pane.replaceChildren(...(pane.hidden ? [] : detail(this, entry)));
    other.hidden = !this.observing;
    other.replaceChildren(...(this.observing ? observed(this) : []));
    shown.setAttribute("aria-pressed", String(this.observing));
    this.root.dataset.selected = entry ? entry.path : "";
  }

  showObserved(open) {
    this.observing = open;
    this.readAll = false;
    this.drawPanes();
    if (this.place >= 0) this.view.reveal(this.place);
    this.standing.write();
  }

  showWhole() {
    this.wholeObservation = !this.wholeObservation;
    this.drawPanes();
  }

  showAll() {
    this.readAll = true;
    this.drawPanes();
  }

  parseInside() {
    this.parsed = !this.parsed;
    this.drawPanes();
  }

  /** Go to the next change. */
  jump(direction) {
    const { entry } = this;
    let place = this.place + direction;
    if (this.place < 0 && direction < 0) place = this.rows.length - 1;
    const passes = (row) => row.kind === "change" && row.entry !== entry;
    while (this.rows[place] && !passes(this.rows[place])) place += direction;
    // Of a change that has two rows the first one stands for both.
    if (this.rows[place]) this.pick(this.rows.findIndex((row) => row.entry === this.rows[place].entry));
  }

  /** Go `distance` rows on; of a change that has two rows both are one. */
  move(distance) {
    const { entry } = this;
    let place = this.place + distance;
    while (entry && this.rows[place]?.entry === entry) place += Math.sign(distance);
    this.step(place);
  }

  step(place) {
    if (this.rows.length) this.pick(Math.max(0, Math.min(this.rows.length - 1, place)));
  }

  /** Close the pane that is open, else leave the list. */
  leave() {
    if (this.observing) this.showObserved(false);
    else if (this.place >= 0) this.pick(-1);
    else this.view.node.blur();
  }
}
