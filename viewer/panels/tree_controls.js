// The frame of the state tree and its keys; what they do is the panel's.

import { copyText, element } from "./dom.js";
import { Inspector } from "./tree_inspector.js";
import { treeRow } from "./tree_rows.js";
import { TreeToolbar } from "./tree_toolbar.js";
import { beginning } from "./text.js";
import { Viewport } from "./viewport.js";

export const ROW = 22;
const TOLD = 2_000;

export class TreeControls {
  constructor(panel) {
    this.panel = panel;
    this.view = new Viewport({ role: "tree", "data-shares-keys": true }, ROW, (place) => treeRow(panel, panel.rows[place]));
    this.toolbar = new TreeToolbar(panel, () => this.view.node.focus());
    this.view.node.addEventListener("keydown", (event) => this.press(event));
    this.view.node.addEventListener("click", (event) => this.click(event));
    this.view.node.addEventListener("dblclick", (event) => {
      if (!event.target.closest(".caret")) panel.toggle(rowOf(event));
    });
    this.view.node.addEventListener("pointerover", (event) => this.tell(event));
    this.pins = element("div", { class: "pins", role: "list", "aria-label": "Pinned places" });
    this.path = element("div", { class: "path" });
    this.notes = element("div", { class: "notes" });
    this.reader = element("div", {
      class: "reader",
      hidden: true,
      tabindex: 0,
      role: "region",
      "aria-label": "Whole value",
    });
    this.inspector = new Inspector(panel);
    const main = element("div", { class: "main" }, this.view.node, this.reader);
    const split = element("div", { class: "split" }, main, this.inspector.node);
    panel.root.replaceChildren(this.toolbar.node, this.pins, split, this.path, this.notes);
  }

  close() {
    this.view.close();
    this.inspector.close();
  }

  click(event) {
    const row = rowOf(event);
    if (row === null) return;
    if (event.target.closest(".caret")) this.panel.toggle(row);
    else this.panel.select(row);
  }

  /** A value that does not fit its row is told whole where the pointer rests. */
  tell(event) {
    const part = event.target.closest(".value, .key");
    const row = rowOf(event);
    if (!part || row === null || part.title || part.scrollWidth <= part.clientWidth) return;
    const { tree } = this.panel;
    const { columns } = tree;
    const text = part.matches(".key") ? String(columns.key[row]) : columns.isContainer(row) ? columns.rawStart(row, TOLD) : tree.text(row);
    part.title = beginning(text, TOLD);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { panel } = this;
    const place = panel.placeOf(panel.selected);
    const page = this.view.rowsInSight - 1;
    const container = panel.tree.columns.isContainer(panel.selected);
    const open = container && panel.isOpen(panel.selected);
    const actions = {
      ArrowDown: () => panel.step(place + 1),
      ArrowUp: () => panel.step(place - 1),
      PageDown: () => panel.step(place + page),
      PageUp: () => panel.step(place - page),
      Home: () => panel.step(0),
      End: () => panel.step(panel.rows.length - 1),
      ArrowRight: () => {
        if (event.shiftKey) panel.openBelow(panel.selected, true);
        else if (container && !open) panel.toggle(panel.selected);
        else if (container) panel.step(place + 1);
      },
      ArrowLeft: () => {
        if (event.shiftKey) panel.openBelow(panel.selected, false);
        else if (open && panel.kept?.[panel.selected] !== 2) panel.toggle(panel.selected);
        else panel.selectParent();
      },
      Enter: () => (container ? panel.toggle(panel.selected) : panel.read(!panel.memory.reading)),
      " ": () => panel.read(!panel.memory.reading),
      n: () => panel.jump(1),
      p: () => panel.jump(-1),
      m: () => panel.pin(panel.selected),
      i: () => this.inspector.toggle(),
      c: () => copyText(panel.tree.pointer(panel.selected)),
      "/": () => this.toolbar.input.select(),
      Escape: () => (panel.memory.reading ? panel.read(false) : this.view.node.blur()),
    };
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }
}

function rowOf(event) {
  const node = event.target.closest(".row");
  return node ? Number(node.dataset.row) : null;
}
