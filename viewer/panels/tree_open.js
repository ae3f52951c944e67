// Which containers of the state tree are open, and where its rows stand.

import { ROW } from "./tree_controls.js";

/** What a tree panel does about open and closed; the panel has `tree`, `memory`, `view`, `rows`. */
export class TreeOpen {
  applyOpen() {
    const { tree, memory } = this;
    const { depth, end } = tree.columns;
    this.open = Uint8Array.from({ length: tree.length }, (_, row) => (depth[row] < memory.depth ? 1 : 0));
    for (const [name, { open, below }] of memory.byHand) {
      const row = tree.find(name);
      if (row !== null) this.open.fill(open ? 1 : 0, row, below ? end[row] : row + 1);
    }
    this.toolbar.showDepth(memory.depth);
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
    this.memory.depth = depth;
    this.memory.byHand.clear();
    this.applyOpen();
    this.layout();
    this.view.reveal(Math.max(0, this.placeOf(this.selected)));
    this.refresh();
  }

  /** Whether the container `row` is drawn open. */
  isOpen(row) {
    return this.kept?.[row] === 2 || this.open[row] === 1;
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

  openAbove(row) {
    const { parent } = this.tree.columns;
    let top = row;
    while (parent[top] > 0) top = parent[top];
    if (this.tree.folded.has(top)) this.memory.unfolded = true;
    for (let at = parent[row]; at >= 0; at = parent[at]) {
      if (!this.open[at]) this.setOpen(at, true);
    }
  }

  setOpen(row, open, below = false) {
    const { end } = this.tree.columns;
    this.open.fill(open ? 1 : 0, row, below ? end[row] : row + 1);
    const name = this.tree.name(row);
    this.memory.byHand.delete(name); // What was done last counts.
    this.memory.byHand.set(name, { open, below });
  }

  toggle(row) {
    if (row === null || !this.tree.columns.isContainer(row) || this.kept?.[row] === 2) return;
    this.setOpen(row, !this.isOpen(row));
    this.layout();
    this.drawSelection();
  }

  /** Open or close `row` and everything below it. */
  openBelow(row, open) {
    if (!this.tree.columns.isContainer(row)) return;
    this.setOpen(row, open, true);
    this.layout();
    this.view.reveal(Math.max(0, this.placeOf(row)));
    this.refresh();
  }

  selectParent() {
    const above = this.tree.columns.parent[this.selected];
    if (above >= 0) this.select(above, true);
  }

  step(place) {
    if (this.rows.length) this.select(this.rows[Math.max(0, Math.min(this.rows.length - 1, place))], true);
  }
}
