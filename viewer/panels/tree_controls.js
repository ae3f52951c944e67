// The toolbar, keys and frame of the state tree; what they do is the panel's.

import { afterQuiet, copyText, element } from "./dom.js";
import { counted } from "./text.js";
import { treeRow } from "./tree_rows.js";
import { Viewport } from "./viewport.js";

export const ROW = 22;
export const ALL = 1_000_000;
const DEPTHS = [1, 2, 3, ALL];

export class TreeControls {
  constructor(panel) {
    this.panel = panel;
    this.input = this.searchInput();
    this.previous = button("‹ previous", "Previous change or hit (p)", () => panel.jump(-1));
    this.next = button("next ›", "Next change or hit (n)", () => panel.jump(1));
    this.depths = DEPTHS.map((depth) =>
      depth === ALL
        ? button("all", "Open everything", () => panel.openTo(depth))
        : button(String(depth), `Open ${depth} deep`, () => panel.openTo(depth)),
    );
    this.changedOnly = button("", "Show changes only", () => panel.filter("changed"));
    this.brokenOnly = button("", "Show only places with violations or findings", () => panel.filter("broken"));
    this.brokenOnly.classList.add("wrong-text");
    this.fold = button("", "Fields that the profile folds: they drive the graph and are seldom read", () =>
      panel.unfold(!panel.unfolded),
    );
    this.counter = element("span", { class: "count", role: "status" });
    this.view = new Viewport({ role: "tree", "data-shares-keys": true }, ROW, (place) => treeRow(panel, panel.rows[place]));
    this.view.node.addEventListener("keydown", (event) => this.press(event));
    this.view.node.addEventListener("click", (event) => this.click(event));
    this.view.node.addEventListener("dblclick", (event) => {
      if (!event.target.closest(".caret")) panel.toggle(rowOf(event));
    });
    this.path = element("div", { class: "path" });
    this.notes = element("div", { class: "notes" });
    this.reader = element("div", {
      class: "reader",
      hidden: true,
      tabindex: 0,
      role: "region",
      "aria-label": "Whole value",
    });
    const label = element("span", { class: "muted" }, "depth");
    const bar = { class: "toolbar", role: "toolbar", "aria-label": "State tree" };
    const group = element("span", { class: "group" }, label, ...this.depths);
    const tools = [this.input, this.previous, this.next, group, this.changedOnly, this.brokenOnly, this.fold];
    const toolbar = element("div", bar, ...tools, this.counter);
    panel.root.replaceChildren(toolbar, this.view.node, this.path, this.notes, this.reader);
  }

  searchInput() {
    const input = element("input", {
      type: "search",
      placeholder: "Search keys and values  ( / )",
      "aria-label": "Search keys and values",
      spellcheck: "false",
    });
    // Enter may have searched already and gone on to a later hit: it is not taken back.
    const searchSoon = () => input.value === this.panel.query || this.panel.search(input.value);
    input.addEventListener("input", afterQuiet(searchSoon, 120));
    input.addEventListener("keydown", (event) => this.pressInSearch(event));
    return input;
  }

  pressInSearch(event) {
    const { panel, input } = this;
    event.stopPropagation();
    if (event.key === "Enter") {
      event.preventDefault();
      if (input.value !== panel.query) panel.search(input.value);
      else panel.jump(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      input.value = "";
      panel.search("");
      this.view.node.focus();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      this.view.node.focus();
    }
  }

  /** Say how many changes, violations and folded fields there are, and which filter is on. */
  label(tree, filtering, unfolded) {
    const changes = tree.changesIn(unfolded).length;
    const broken = tree.broken.length;
    this.changedOnly.textContent = changes ? `only ${counted(changes, "change")}` : "no changes";
    this.changedOnly.disabled = !changes;
    this.brokenOnly.textContent = `only ${counted(broken, "marked place")}`;
    this.brokenOnly.hidden = !broken;
    this.changedOnly.setAttribute("aria-pressed", String(filtering === "changed"));
    this.brokenOnly.setAttribute("aria-pressed", String(filtering === "broken"));
    this.fold.textContent = `${tree.folded.size} internal`;
    this.fold.hidden = !tree.folded.size;
    this.fold.setAttribute("aria-pressed", String(unfolded));
  }

  showDepth(depth) {
    this.depths.forEach((tool, place) => {
      tool.setAttribute("aria-pressed", String(DEPTHS[place] === depth));
    });
  }

  /** Say how many hits and rows are in sight, and whether there is anywhere to jump to. */
  count(hits, shown, all, stops) {
    const rows = `${shown.toLocaleString("en")} of ${counted(all, "row")}`;
    this.counter.textContent = hits ? `${counted(hits.length, "hit")} · ${rows}` : rows;
    this.previous.disabled = this.next.disabled = !stops;
  }

  click(event) {
    const row = rowOf(event);
    if (row === null) return;
    if (event.target.closest(".caret")) this.panel.toggle(row);
    else this.panel.select(row);
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
        if (container && !open) panel.toggle(panel.selected);
        else if (container) panel.step(place + 1);
      },
      ArrowLeft: () => {
        if (open && panel.kept?.[panel.selected] !== 2) panel.toggle(panel.selected);
        else panel.selectParent();
      },
      Enter: () => (container ? panel.toggle(panel.selected) : panel.read(!panel.reading)),
      " ": () => panel.read(!panel.reading),
      n: () => panel.jump(1),
      p: () => panel.jump(-1),
      c: () => copyText(panel.tree.pointer(panel.selected)),
      "/": () => this.input.select(),
      Escape: () => (panel.reading ? panel.read(false) : this.view.node.blur()),
    };
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }
}

function button(label, title, onclick) {
  return element("button", { type: "button", title, onclick }, label);
}

function rowOf(event) {
  const node = event.target.closest(".row");
  return node ? Number(node.dataset.row) : null;
}
