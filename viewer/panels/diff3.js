// The three-column diff: filters, keys and selection around virtual rows, detail pane below.

import { SEARCH, afterQuiet, appendText, copyText, element } from "./dom.js";
import { counted } from "./text.js";
import { Changes, OPS, SIGNS, Value, WORDS } from "./diff3_model.js";
import { detail, diffRow, nameFor, verdictLook } from "./diff3_rows.js";
import { Viewport } from "./viewport.js";

const ROW = 26;
const diffs = new WeakMap();

export default function diff3({ data, parentElement, setTriggerValue }) {
  let panel = diffs.get(parentElement);
  if (!panel) {
    panel = new DiffPanel(parentElement.querySelector(".panel"));
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
  constructor(root) {
    this.root = root;
    this.root.classList.add("diff3");
    this.filters = { ops: new Set(), verdicts: new Set(), query: "" };
    this.open = new Set();
    this.place = -1;
    this.wholeObservation = false;
    this.readAll = false;
    this.build();
    this.onSearch = () => this.input.select();
    window.addEventListener(SEARCH, this.onSearch);
  }

  close() {
    window.removeEventListener(SEARCH, this.onSearch);
    this.view.close();
  }

  build() {
    this.input = element("input", { type: "search", placeholder: "Filter paths and values  ( / )", "aria-label": "Filter paths and values", spellcheck: "false" });
    const filterSoon = afterQuiet(() => this.filterText(this.input.value), 120);
    this.input.addEventListener("input", filterSoon);
    this.input.addEventListener("keydown", (event) => this.inputKey(event));
    this.chips = element("span", { class: "chips" });
    this.counter = element("span", { class: "count", role: "status" });
    this.head = element("div", { class: "heads", role: "presentation" });
    this.view = new Viewport({ role: "grid", "aria-label": "Changes", "data-shares-keys": true }, ROW, (place) => diffRow(this, place));
    this.view.node.addEventListener("keydown", (event) => this.key(event));
    this.view.node.addEventListener("click", (event) => this.click(event));
    this.detail = element("div", { class: "detail", role: "region", "aria-label": "Selected change", hidden: true });
    this.clear = element("button", { type: "button", hidden: true, onclick: () => this.clearFilters() }, "clear filters");
    this.root.replaceChildren(
      element(
        "div",
        { class: "toolbar", role: "toolbar", "aria-label": "Diff" },
        this.input,
        element("button", { type: "button", title: "Previous change (p)", onclick: () => this.jump(-1) }, "‹ previous"),
        element("button", { type: "button", title: "Next change (n)", onclick: () => this.jump(1) }, "next ›"),
        this.counter,
        this.chips,
        this.clear,
      ),
      this.head,
      this.view.node,
      this.detail,
    );
  }

  update(data) {
    this.root.style.height = `${data.height}px`;
    if (this.rev === data.rev) return;
    const selected = this.entry?.path ?? null;
    this.rev = data.rev;
    this.changes = new Changes(data);
    this.root.classList.toggle("unobserved", data.observation === "unknown");
    this.wholeObservation &&= data.observed !== null;
    this.drawHead();
    this.place = -1;
    this.layout();
    this.view.offset = 0;
    const asked = data.select !== null && data.select !== this.asked ? data.select : selected;
    this.asked = data.select;
    const place = asked === null ? -1 : this.rows.findIndex((row) => row.entry?.path === asked);
    this.pick(place);
    this.root.dataset.rev = data.rev;
    this.root.dataset.rows = data.rows.length;
  }

  drawHead() {
    const { payload } = this.changes;
    const cell = (title, more = "") =>
      appendText(element("div", { class: "cell", title: more || null }), title);
    this.head.replaceChildren(
      cell("change"),
      cell("path"),
      cell(payload.base),
      cell(payload.target),
      cell(this.observationTitle(), payload.why),
    );
  }

  observationTitle() {
    const { observation } = this.changes.payload;
    return `model was shown · ${observation}`;
  }

  observedValue() {
    return new Value(this.changes.payload.observed);
  }

  owner(pointer) {
    return nameFor(this.changes.payload.owners, pointer);
  }

  plane(pointer) {
    return nameFor(this.changes.payload.planes, pointer);
  }

  get entry() {
    return this.rows?.[this.place]?.entry ?? null;
  }

  layout() {
    const { ops, verdicts, query } = this.filters;
    const { rows, shown } = this.changes.rows(this.filters, this.open);
    this.rows = rows;
    const filtered = Boolean(ops.size || verdicts.size || query);
    const total = this.changes.entries.length;
    this.clear.hidden = !filtered;
    // The chips count what matters to a reader; what is folded as noise is told beside it.
    const noise = this.changes.noisy ? ` + ${this.changes.noisy.toLocaleString("en")} noise` : "";
    const told = counted(total - this.changes.noisy, "change");
    this.counter.textContent = filtered ? `${shown.toLocaleString("en")} of ${told}${noise}` : told + noise;
    this.view.node.setAttribute("aria-rowcount", rows.length + 1);
    const nothing = total ? "No change passes these filters." : "No differences: base and target are the same.";
    this.view.show(rows.length, nothing);
    this.drawChips();
  }

  drawChips() {
    const counts = this.changes.counts();
    const chip = (set, name, label, kind) =>
      element(
        "button",
        { type: "button", class: `filter ${kind}`, "data-filter": name, "aria-pressed": String(set.has(name)), onclick: () => this.toggleFilter(set, name) },
        ...label,
      );
    const { ops, verdicts } = this.filters;
    const number = (name) => (counts[name] ?? 0).toLocaleString("en");
    const chips = OPS.filter((op) => counts[op] || ops.has(op)).map((op) => chip(ops, op, [element("b", {}, SIGNS[op]), ` ${number(op)} ${WORDS[op]}`], op));
    for (const verdict of this.changes.verdicts) chips.push(chip(verdicts, verdict, [`${number(verdict)} ${verdict}`], verdictLook(verdict)));
    const focused = this.chips.getRootNode().activeElement?.dataset?.filter;
    this.chips.replaceChildren(...chips);
    if (focused) chips.find((button) => button.dataset.filter === focused)?.focus();
  }

  toggleFilter(set, name) {
    if (!set.delete(name)) set.add(name);
    this.keepSelection(() => this.layout());
  }

  clearFilters() {
    this.filters.ops.clear();
    this.filters.verdicts.clear();
    this.filters.query = "";
    this.input.value = "";
    this.keepSelection(() => this.layout());
  }

  filterText(text) {
    this.filters.query = text;
    this.keepSelection(() => this.layout());
  }

  /** Run `change`, then find the selected change among the new rows. */
  keepSelection(change) {
    const { entry } = this;
    change();
    this.pick(entry ? this.rows.findIndex((row) => row.entry?.index === entry.index) : -1);
  }

  inputKey(event) {
    event.stopPropagation();
    if (event.key === "Enter" || event.key === "ArrowDown") {
      event.preventDefault();
      if (this.input.value !== this.filters.query) this.filterText(this.input.value);
      this.view.node.focus();
      if (this.place < 0) this.jump(1);
    } else if (event.key === "Escape") {
      this.input.value = "";
      this.filterText("");
      this.view.node.focus();
    }
  }

  click(event) {
    const node = event.target.closest(".row");
    if (!node) return;
    const place = Number(node.dataset.place);
    this.pick(place);
    this.unfold(place);
  }

  /** Open or close the fold at `place`; a change has none. */
  unfold(place) {
    const row = this.rows[place];
    if (!row || row.kind === "change" || row.kind === "name") return;
    const name = row.kind === "group" ? `-${row.name}` : row.kind;
    if (!this.open.delete(name)) this.open.add(name);
    this.layout();
    this.pick(place);
  }

  /** Select the row at `place`, -1 for none. */
  pick(place) {
    this.place = place;
    this.readAll = false;
    this.drawDetail();
    if (place >= 0) {
      this.view.reveal(place);
      this.view.node.setAttribute("aria-activedescendant", `diff-row-${place}`);
    } else this.view.node.removeAttribute("aria-activedescendant");
    this.view.refresh();
  }

  drawDetail() {
    const { entry } = this;
    this.detail.hidden = !entry;
    this.detail.replaceChildren(...(entry ? detail(this, entry) : []));
    this.root.dataset.selected = entry ? entry.path : "";
  }

  showWholeObservation() {
    this.wholeObservation = !this.wholeObservation;
    this.drawDetail();
  }

  showAll() {
    this.readAll = true;
    this.drawDetail();
  }

  /** Go to the next row that is a change. */
  jump(direction) {
    let place = this.place + direction;
    if (this.place < 0 && direction < 0) place = this.rows.length - 1;
    while (this.rows[place] && this.rows[place].kind !== "change") place += direction;
    if (this.rows[place]) this.pick(place);
  }

  step(place) {
    if (this.rows.length) this.pick(Math.max(0, Math.min(this.rows.length - 1, place)));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = this.view.rowsInSight - 1;
    const actions = {
      ArrowDown: () => this.step(this.place + 1),
      ArrowUp: () => this.step(this.place - 1),
      j: () => this.step(this.place + 1),
      k: () => this.step(this.place - 1),
      n: () => this.jump(1),
      p: () => this.jump(-1),
      PageDown: () => this.step(this.place + page),
      PageUp: () => this.step(this.place - page),
      Home: () => this.step(0),
      End: () => this.step(this.rows.length - 1),
      Enter: () => this.unfold(this.place),
      " ": () => this.unfold(this.place),
      c: () => this.entry && copyText(this.entry.path),
      "/": () => this.input.select(),
      Escape: () => (this.place >= 0 ? this.pick(-1) : this.view.node.blur()),
    };
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }
}
