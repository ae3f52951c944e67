// What stands around the changes: summary, views, filters with their counts, headings.

import { afterQuiet, appendText, element } from "./dom.js";
import { counted } from "./text.js";
import { verdictLook } from "./diff3_cells.js";
import { isFiltered } from "./diff3_filters.js";
import { pressed, pressedInFilter } from "./diff3_keys.js";
import { OPS, SIGNS, WORDS, shownModal } from "./diff3_model.js";
import { diffRow, headingParts } from "./diff3_rows.js";
import { PatchView } from "./diff3_patch.js";
import { Viewport } from "./viewport.js";

export const LOOKS = ["split", "unified", "patch"];
const ROW = 26;
const NARROWEST = 90;
// Pixels of one character of a value, and of what stands around the value in its cell.
const CHARACTER = 7.3;
const AROUND = 34;

export class DiffControls {
  /** `panel` is told what a person does; its `root` is filled. */
  constructor(panel) {
    this.panel = panel;
    this.summary = element("p", { class: "summary", hidden: true });
    this.input = element("input", { type: "search", placeholder: "Filter paths and values  ( / )", "aria-label": "Filter paths and values", spellcheck: "false" });
    this.input.addEventListener("input", afterQuiet(() => panel.filterText(this.input.value), 120));
    this.input.addEventListener("keydown", (event) => pressedInFilter(panel, event));
    this.counter = element("span", { class: "count", role: "status" });
    this.chips = element("span", { class: "chips" });
    this.clear = this.button("clear filters", () => panel.clearFilters(), { hidden: true });
    this.ignored = this.button("", () => panel.bringBack(), { hidden: true, class: "ignored", title: "Bring back what was set aside" });
    this.swap = this.button("⇄ swap", () => panel.swap(), { hidden: true, title: "Base and target change places" });
    this.group = this.button("by node", () => panel.group(), { hidden: true, title: "Group the changes by the node that wrote them" });
    this.shown = this.button("model input", () => panel.showObserved(!panel.observing), { title: "What a model is shown, new things first (m)" });
    this.views = LOOKS.map((look) => this.button(look, () => panel.lookAs(look), { "data-look": look, title: TITLES[look] }));
    this.moves = [
      this.button("‹ previous", () => panel.jump(-1), { title: "Previous change (p)" }),
      this.button("next ›", () => panel.jump(1), { title: "Next change (n)" }),
    ];
    this.heads = element("div", { class: "heads", role: "presentation" });
    this.list = new Viewport({ role: "treegrid", "aria-label": "Changes", "data-shares-keys": true }, ROW, (place) => diffRow(panel, place));
    this.list.node.addEventListener("keydown", (event) => pressed(panel, event));
    this.list.node.addEventListener("click", (event) => panel.click(event));
    // The heading of the group in sight, where its own row is above the edge.
    this.sticky = element("div", { class: "sticky", "aria-hidden": "true", hidden: true });
    this.list.node.prepend(this.sticky);
    this.list.onDraw = () => {
      this.stick();
      this.pointAtSelected();
    };
    this.patch = new PatchView();
    // How many characters of a value are in sight: what differs must be among them.
    this.room = 40;
    this.sized = new ResizeObserver(() => this.measure() && this.list.refresh());
    this.sized.observe(this.heads);
    this.detail = element("div", { class: "detail", role: "region", "aria-label": "Selected change", hidden: true });
    this.observed = element("div", { class: "observed", role: "region", "aria-label": "Model input", hidden: true });
    panel.root.replaceChildren(
      this.summary,
      element(
        "div",
        { class: "toolbar", role: "toolbar", "aria-label": "Diff" },
        element("span", { class: "views", role: "group", "aria-label": "View" }, ...this.views),
        this.input,
        ...this.moves,
        this.counter,
        this.ignored,
        this.shown,
        this.swap,
        this.group,
        this.chips,
        this.clear,
      ),
      this.heads,
      this.list.node,
      this.patch.node,
      this.detail,
      this.observed,
    );
  }

  close() {
    this.sized.disconnect();
    this.list.close();
    this.patch.close();
  }

  button(label, onclick, props = {}) {
    return element("button", { type: "button", onclick, ...props }, label);
  }

  /** Draw what depends on the pair and the view. */
  drawFrame() {
    const { panel } = this;
    const { payload } = panel.changes;
    this.summary.hidden = !payload.summary;
    this.summary.replaceChildren(appendText(element("span"), payload.summary ?? ""));
    this.swap.hidden = !payload.swaps;
    this.group.hidden = !panel.changes.entries.some((entry) => entry.nodes.length) && !panel.byNode;
    this.group.setAttribute("aria-pressed", String(panel.byNode));
    this.shown.hidden = payload.observed === null && !payload.since;
    this.shown.setAttribute("aria-pressed", String(panel.observing));
    for (const view of this.views) view.setAttribute("aria-pressed", String(view.dataset.look === panel.look));
    const isPatch = panel.look === "patch";
    for (const node of [this.heads, this.list.node, this.input, this.counter, this.chips, ...this.moves]) node.hidden = isPatch;
    this.patch.node.hidden = !isPatch;
    panel.root.dataset.look = panel.look;
    panel.root.classList.toggle("unobserved", payload.observation === "unknown");
    this.drawHeads();
    if (isPatch) this.patch.show(payload);
  }

  drawHeads() {
    const { payload } = this.panel.changes;
    const cell = (title, more = null) => appendText(element("div", { class: "cell", title: more }), title);
    const path = cell("path");
    path.append(this.handle());
    const unified = this.panel.look === "unified";
    const values = unified ? [cell(`− ${payload.base}   + ${payload.target}`)] : [cell(payload.base, payload.base), cell(payload.target, payload.target)];
    const shown = element("div", { class: "cell", title: [this.panel.observationTitle(), payload.why].filter(Boolean).join(" · ") });
    const modal = shownModal(payload.observation);
    // In a narrow column "would be" alone says that it is computed.
    const kind = element("span", { class: modal === "was" ? null : "wide" }, ` · ${payload.observation}`);
    shown.append(element("span", { class: "wide" }, "model "), `${modal} shown`, kind);
    this.heads.replaceChildren(cell(unified ? "" : "change"), path, ...values, shown);
    this.measure();
  }

  /** Take the width of a column of values; return whether it holds more or less than before. */
  measure() {
    const before = this.room;
    const width = this.heads.children[2]?.clientWidth;
    if (width) this.room = Math.max(12, Math.floor((width - AROUND) / CHARACTER));
    return this.room !== before;
  }

  /** What changes the width of the path column: dragged, or with the arrow keys. */
  handle() {
    const { root } = this.panel;
    const widen = (pixels) => {
      const most = root.clientWidth / 2;
      this.panel.pathWidth = Math.round(Math.max(NARROWEST, Math.min(most, pixels)));
      root.style.setProperty("--path", `${this.panel.pathWidth}px`);
      if (this.measure()) this.list.refresh();
      node.setAttribute("aria-valuenow", this.panel.pathWidth);
    };
    const width = () => node.parentElement.getBoundingClientRect().width;
    const node = element("span", { class: "handle", role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": "Width of the path column", "aria-valuenow": this.panel.pathWidth ?? 0, title: "Drag to widen the paths" });
    node.addEventListener("pointerdown", (event) => {
      const start = event.clientX - width();
      node.setPointerCapture(event.pointerId);
      node.onpointermove = (moved) => widen(moved.clientX - start);
    });
    node.addEventListener("pointerup", () => (node.onpointermove = null));
    node.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      event.preventDefault();
      event.stopPropagation();
      widen(width() + (event.key === "ArrowLeft" ? -16 : 16));
    });
    return node;
  }

  /** Say how many changes are shown, and draw the filters with their counts. */
  drawCounts(shown) {
    const { panel } = this;
    const { changes, filters, ignored } = panel;
    const total = changes.entries.length;
    const filtered = isFiltered(filters) || ignored.size > 0;
    this.clear.hidden = !isFiltered(filters);
    this.ignored.hidden = ignored.size === 0;
    this.ignored.textContent = `${ignored.size.toLocaleString("en")} ignored ✕`;
    // The chips count what matters to a reader; what is folded as noise is told beside it.
    const noise = changes.noisy ? ` + ${changes.noisy.toLocaleString("en")} noise` : "";
    const told = counted(total - changes.noisy, "change");
    this.counter.textContent = filtered ? `${shown.toLocaleString("en")} of ${told}${noise}` : told + noise;
    this.drawChips();
  }

  drawChips() {
    const { filters, changes, ignored } = this.panel;
    const counts = changes.counts(ignored);
    const number = (kind, name) => (counts[kind][name] ?? 0).toLocaleString("en");
    const chip = (kind, name, label, look) =>
      this.button("", () => this.panel.toggleFilter(kind, name), { class: `filter ${look}`, "data-filter": `${kind} ${name}`, "aria-pressed": String(filters[kind].has(name)) }, label);
    const chips = [];
    for (const op of OPS) {
      if (!counts.ops[op] && !filters.ops.has(op)) continue;
      const node = chip("ops", op, "", op);
      node.append(element("b", {}, SIGNS[op]), ` ${number("ops", op)} ${WORDS[op]}`);
      chips.push(node);
    }
    // Where nothing is known of any change there is nothing to choose.
    const told = (verdict) => counts.verdicts[verdict] || filters.verdicts.has(verdict);
    const verdicts = changes.verdicts.filter((verdict) => told(verdict) && (verdict !== "unknown" || changes.verdicts.length > 1));
    for (const verdict of verdicts) {
      const node = chip("verdicts", verdict, "", verdictLook(verdict));
      node.append(`${number("verdicts", verdict)} ${verdict}`);
      chips.push(node);
    }
    for (const [kind, word] of [["planes", "plane"], ["nodes", "node"]]) {
      if (Object.keys(counts[kind]).length > 1 || filters[kind].size) chips.push(this.choice(kind, word, counts[kind]));
    }
    const focused = this.chips.getRootNode().activeElement?.dataset?.filter;
    this.chips.replaceChildren(...chips);
    if (focused) chips.find((node) => node.dataset.filter === focused)?.focus();
  }

  choice(kind, word, counts) {
    const chosen = [...this.panel.filters[kind]];
    const select = element("select", { "aria-label": `Filter by ${word}`, "data-filter": kind, onchange: () => this.panel.chooseOnly(kind, select.value) });
    select.append(element("option", { value: "" }, `every ${word}`));
    for (const name of new Set([...Object.keys(counts), ...chosen])) {
      const option = appendText(element("option", { value: name }), name);
      option.append(` (${(counts[name] ?? 0).toLocaleString("en")})`);
      select.append(option);
    }
    select.value = chosen[0] ?? "";
    return select;
  }

  /** Name the selected row to screen readers; one that is out of sight is not in the document. */
  pointAtSelected() {
    const { place } = this.panel;
    const { node, drawn } = this.list;
    if (drawn.has(place)) node.setAttribute("aria-activedescendant", `diff-row-${place}`);
    else node.removeAttribute("aria-activedescendant");
  }

  /** Keep the heading of the group in sight at the upper edge. */
  stick() {
    const { rows, byNode } = this.panel;
    const begins = ({ kind, entry, depth }) =>
      ["group", "noise", "unchanged"].includes(kind) || (entry && !byNode && !depth && entry.path.lastIndexOf("/") <= 0);
    let place = Math.min(rows.length - 1, this.list.firstInSight);
    while (place >= 0 && !begins(rows[place])) place -= 1;
    const { firstInSight, offset } = this.list;
    const row = rows[place]?.kind === "group" && offset > place * ROW ? rows[place] : null;
    // The heading that comes next pushes this one out.
    const next = rows[firstInSight + 1];
    const pushed = next && begins(next) ? Math.min(0, firstInSight * ROW - offset) : 0;
    this.sticky.style.transform = pushed ? `translateY(${pushed}px)` : "";
    if (row === this.stuck) return;
    this.stuck = row;
    this.sticky.hidden = !row;
    if (!row) return;
    const cell = element("div", { class: "cell fold" }, element("span", { class: "caret open" }), ...headingParts(this.panel, row));
    const heading = element("div", { class: "row group", onclick: (event) => (event.stopPropagation(), this.panel.pick(place)) }, cell);
    this.sticky.replaceChildren(heading);
  }
}

const TITLES = {
  split: "Base, target and what the model was shown beside each other",
  unified: "Old and new beneath each other",
  patch: "RFC 6902 JSON Patch of this pair",
};
