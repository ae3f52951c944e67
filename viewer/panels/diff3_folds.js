// What is folded, and the unchanged values that are asked for when a fold is opened.

import { ask } from "./asking.js";
import { Value } from "./diff3_model.js";

// Values asked for at once; more than one answer holds.
const BATCH = 200;

export class Folds {
  constructor(panel) {
    this.panel = panel;
    // Folds that are open and groups that are closed, by name: they stay so in the next pair.
    this.open = new Set();
    // Pointer → value, and fold → what is in it, of the pair that is drawn.
    this.known = new Map();
  }

  /** Open or close the fold at `place`; a change has none. */
  turn(place) {
    const { panel } = this;
    const row = panel.rows[place];
    if (!row || ["change", "line", "note"].includes(row.kind)) return;
    const name = row.kind === "group" ? `-${row.name}` : (row.fold ?? row.kind);
    const opened = !this.open.delete(name);
    if (opened) this.open.add(name);
    panel.layout();
    panel.pick(place, panel.at, row.kind === "noise");
    if (opened) this.fetch(row);
  }

  /** Open what hides `entry`. */
  openAround(entry) {
    this.open.delete(`-${this.panel.byNode ? entry.nodes.join(", ") : entry.group}`);
    if (entry.noise) this.open.add("noise");
  }

  /** Ask for all that the folds show which stay open from the pair before. */
  fetchOpen() {
    for (const row of this.panel.rows) if (row.folded === false) this.fetch(row);
  }

  async fetch(row) {
    const { panel, known } = this;
    const { index } = panel.changes.payload;
    if (index === null || index === undefined) return;
    const { rev } = panel;
    try {
      if (row.kind === "unchanged") await this.fields(index, row.names);
      else if (row.kind === "rest" && !known.has(row.fold)) await this.rest(index, row);
      else return;
    } catch (reason) {
      if (rev === panel.rev) known.set(row.fold ?? "unchanged", { children: [], left: 0, told: reason.message });
    }
    if (rev === panel.rev) panel.relayout();
  }

  async fields(index, names) {
    const { rev } = this.panel;
    const pointers = names.map((name) => `/${name}`).filter((pointer) => !this.known.has(pointer));
    for (let from = 0; from < pointers.length; from += BATCH) {
      const some = pointers.slice(from, from + BATCH);
      const found = await ask("values", { index, pointers: some });
      if (rev !== this.panel.rev) return;
      some.forEach((pointer, place) => this.known.set(pointer, new Value(found[place])));
    }
  }

  async rest(index, { fold, pointer }) {
    const { rev } = this.panel;
    const { children, left } = await ask("untouched", { index, pointer, touched: this.panel.changes.touched(pointer.slice(1)) });
    if (rev !== this.panel.rev) return;
    for (const [child, wire] of children) this.known.set(child, new Value(wire));
    this.known.set(fold, { children, left });
  }
}
