// The toolbar of the state tree: search, depth, filters with their counts.

import { afterQuiet, element } from "./dom.js";
import { counted } from "./text.js";
import { planeIn } from "./tree_filter.js";

export const ALL = 1_000_000;
const DEPTHS = [1, 2, 3, ALL];

export class TreeToolbar {
  constructor(panel, toTree) {
    this.panel = panel;
    this.toTree = toTree;
    this.input = this.searchInput();
    this.cased = toolButton("Aa", "Upper and lower case differ", () => panel.search({ cased: !panel.query.cased }));
    this.regex = toolButton(".*", "Regular expression", () => panel.search({ regex: !panel.query.regex }));
    this.cased.setAttribute("aria-label", "Match case");
    this.regex.setAttribute("aria-label", "Regular expression");
    this.note = element("span", { class: "search-note wrong-text", role: "status" });
    this.previous = toolButton("‹", "Previous change or hit (p)", () => panel.jump(-1));
    this.next = toolButton("›", "Next change or hit (n)", () => panel.jump(1));
    this.previous.setAttribute("aria-label", "previous change or hit");
    this.next.setAttribute("aria-label", "next change or hit");
    this.depths = DEPTHS.map((depth) =>
      depth === ALL
        ? toolButton("all", "Open everything", () => panel.openTo(depth))
        : toolButton(String(depth), `Open ${depth} deep`, () => panel.openTo(depth)),
    );
    this.changed = toolButton("", "Show changes only", () => panel.filter("changed"));
    this.violating = toolButton("", "Show only places with violations or findings", () => panel.filter("violating"));
    this.violating.classList.add("wrong-text");
    this.shown = toolButton("", "", () => panel.filter("shown"));
    this.notShown = toolButton("", "", () => panel.filter("not-shown"));
    this.plane = element("select", { "aria-label": "Plane of state", onchange: () => panel.filterPlane(this.plane.value) });
    this.fold = toolButton("", "Fields that the profile folds: they drive the graph and are seldom read", () => panel.unfold());
    this.clear = toolButton("clear filters", "Show everything again", () => panel.clearFilters());
    this.counter = element("span", { class: "count", role: "status" });
    this.inspect = toolButton("inspector", "All that is known of the selected place (i)", () => panel.inspector.toggle());
    const label = element("span", { class: "muted" }, "depth");
    this.model = element("span", { class: "group", role: "group", "aria-label": "Shown to the model" }, element("span", { class: "muted" }, "model"), this.shown, this.notShown);
    const filters = [this.changed, this.violating, this.model, this.plane, this.fold, this.clear];
    this.node = element(
      "div",
      { class: "toolbar", role: "toolbar", "aria-label": "State tree" },
      element("span", { class: "group search" }, this.input, this.cased, this.regex, this.previous, this.next),
      element("span", { class: "group" }, label, ...this.depths),
      ...filters,
      this.note,
      this.counter,
      this.inspect,
    );
  }

  searchInput() {
    const { panel } = this;
    const input = element("input", {
      type: "search",
      placeholder: "Search keys and values  ( / )",
      "aria-label": "Search keys and values",
      spellcheck: "false",
    });
    // Enter may have searched already and gone on to a later hit: it is not taken back.
    const searchSoon = () => input.value === panel.query.text || panel.search({ text: input.value });
    input.addEventListener("input", afterQuiet(searchSoon, 120));
    input.addEventListener("keydown", (event) => this.pressInSearch(event));
    return input;
  }

  pressInSearch(event) {
    const { panel, input } = this;
    event.stopPropagation();
    if (event.key === "Enter") {
      event.preventDefault();
      if (input.value !== panel.query.text) panel.search({ text: input.value });
      else panel.jump(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      input.value = "";
      panel.search({ text: "" });
      this.toTree();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      this.toTree();
    }
  }

  /** Say which filters are on, and how many changes, violations and folded fields there are. */
  label(changes, tree, { active, words, unfolded }) {
    const broken = tree.broken.length;
    this.changed.textContent = changesLabel(changes, tree.changes.length);
    this.changed.disabled = !changes && !words.has("changed");
    this.violating.textContent = `only ${counted(broken, "marked place")}`;
    this.violating.hidden = !broken && !words.has("violating");
    this.fold.textContent = `${tree.folded.size} internal`;
    this.fold.hidden = !tree.folded.size;
    press(this.changed, active.has("changed"));
    press(this.violating, active.has("violating"));
    press(this.shown, active.has("shown"));
    press(this.notShown, active.has("not-shown"));
    press(this.fold, unfolded);
    this.clear.hidden = !words.size;
    this.model.hidden = !tree.projection;
    this.plane.hidden = !tree.planes.length;
  }

  /** Fill in the counts that take a walk over the whole state. */
  labelCounts(tree, meanings, words) {
    const chosen = planeIn(words);
    if (tree.planes.length) {
      const found = meanings.planeCounts();
      if (chosen && !found.some(([name]) => name === chosen)) found.push([chosen, 0]);
      this.plane.replaceChildren(
        element("option", { value: "" }, "every plane"),
        ...found.map(([name, count]) => element("option", { value: name }, `${name} · ${count.toLocaleString("en")}`)),
      );
      this.plane.value = chosen ?? "";
      this.plane.classList.toggle("on", chosen !== null);
    }
    const counts = meanings.shownCounts();
    if (!counts) return;
    const more = counts["may be"] ? `; of ${counted(counts["may be"], "value")} it is not known` : "";
    this.shown.textContent = `shown ${counts.shown.toLocaleString("en")}`;
    this.shown.title = `Values that a model would be shown, by the projection of profile ${tree.projection.by}${more}`;
    this.notShown.textContent = `not shown ${counts["not-shown"].toLocaleString("en")}`;
    this.notShown.title = `Values that a model would not be shown, by the projection of profile ${tree.projection.by}${more}`;
  }

  labelSearch({ cased, regex }, note, wrong) {
    press(this.cased, cased);
    press(this.regex, regex);
    this.note.textContent = note;
    this.note.hidden = !note;
    this.note.classList.toggle("wrong-text", wrong);
    this.input.setAttribute("aria-invalid", String(wrong && Boolean(note)));
  }

  showDepth(depth) {
    this.depths.forEach((tool, place) => press(tool, DEPTHS[place] === depth));
  }

  /** Say where among the hits or changes we are, and how many rows are in sight. */
  count({ searched, stops, place, outside, shown, all }) {
    const rows = `${shown.toLocaleString("en")} of ${counted(all, "row")}`;
    const at = place < 0 ? "" : `${(place + 1).toLocaleString("en")} of `;
    const hits = `${at}${counted(stops, "hit")}`;
    const more = outside ? ` · ${outside.toLocaleString("en")} outside the filter` : "";
    this.counter.textContent = searched ? `${hits}${more} · ${rows}` : rows;
    this.previous.disabled = this.next.disabled = !stops;
  }
}

function press(button, on) {
  button.setAttribute("aria-pressed", String(on));
}

function toolButton(label, title, onclick) {
  return element("button", { type: "button", title, onclick }, label);
}

/** What the button of the changes says of `shown` of `all`: the others lie in folded internal fields. */
export function changesLabel(shown, all) {
  const internal = all - shown;
  if (!all) return "no changes";
  return `only ${counted(shown, "change")}${internal ? ` + ${internal.toLocaleString("en")} internal` : ""}`;
}
