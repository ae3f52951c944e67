// The legend: what occurs in a chain, with counts. A click filters, shift-click goes to the next.

import { appendText, element } from "./dom.js";
import { facetCounts, filters } from "./strip_filter.js";
import { drawMark, phaseColor, phaseFill } from "./strip_look.js";

const NODES = 5;
const STATUSES = 5;
const MOST = 100;
const TITLES = { phase: "Phase", status: "Status", node: "Node", mark: "Mark" };

export class Legend {
  /** `on` is `{filter, next}`, called with a facet and a value, and `clear`, called with nothing. */
  constructor(on) {
    this.on = on;
    this.more = new Set();
    this.facets = element("span", { class: "facets" });
    this.count = element("span", { class: "count", "aria-live": "polite" });
    this.clear = element("button", { type: "button", class: "clear", hidden: true, onclick: on.clear }, "clear");
    this.root = element("div", { class: "legend", role: "group", "aria-label": "Filter the checkpoints" });
    this.root.append(this.facets, this.count, this.clear);
  }

  /** Draw the entries of a chain anew. */
  draw(chain, colors) {
    this.chips = [];
    const groups = Object.keys(TITLES)
      .map((facet) => [facet, this.entries(chain, facet)])
      .filter(([, entries]) => entries.length)
      .map(([facet, entries]) => this.group(chain, colors, facet, entries));
    this.facets.replaceChildren(...groups);
  }

  /** A facet that tells nothing apart has no entries, but for phases: they explain the colours. */
  entries(chain, facet) {
    const entries = facetCounts(chain, facet);
    if (facet === "node" && entries.length < 2) return [];
    if (facet !== "status") return entries;
    return entries.length < 2 || sameAsPhases(chain) ? [] : entries;
  }

  group(chain, colors, facet, entries) {
    const first = { node: NODES, status: STATUSES }[facet] ?? entries.length;
    const chip = ([value, count]) => this.chip(chain, colors, facet, value, count);
    const group = element("span", { class: "facet", role: "group", "aria-label": TITLES[facet] });
    group.append(...entries.slice(0, first).map(chip));
    const rest = entries.slice(first, MOST);
    if (!rest.length) return group;
    const open = this.more.has(facet);
    const others = element("span", { class: "others", hidden: !open }, ...rest.map(chip));
    if (entries.length > MOST) {
      others.append(element("span", { class: "muted" }, `and ${entries.length - MOST} that occur less`));
    }
    const toggle = element("button", { type: "button", class: "more", "aria-expanded": String(open) }, `${entries.length - first} more`);
    toggle.addEventListener("click", () => {
      others.hidden = !others.hidden;
      if (others.hidden) this.more.delete(facet);
      else this.more.add(facet);
      toggle.setAttribute("aria-expanded", !others.hidden);
    });
    group.append(others, toggle);
    return group;
  }

  chip(chain, colors, facet, value, count) {
    const word = { phase: chain.phases[value], mark: chain.marks[Math.log2(value)] }[facet] ?? value;
    const sample = facet === "phase" ? phaseSwatch(colors, value) : facet === "mark" ? markSwatch(colors, value) : "";
    const button = element(
      "button",
      { type: "button", "aria-pressed": "false", title: `Only ${word}; with shift: go to the next` },
      sample,
      appendText(element("span", { class: "word" }), `${word} `),
      element("b", {}, count.toLocaleString("en")),
    );
    button.addEventListener("click", (event) => {
      if (event.shiftKey) this.on.next(facet, value);
      else this.on.filter(facet, value);
    });
    this.chips.push({ button, facet, value });
    return button;
  }

  /** Show what is filtered, and how many of `all` checkpoints are kept. */
  show(filter, kept, all) {
    for (const { button, facet, value } of this.chips) {
      button.setAttribute("aria-pressed", filter[facet].has(value));
    }
    const on = filters(filter);
    this.clear.hidden = !on;
    this.count.textContent = on ? `${kept.toLocaleString("en")} of ${all.toLocaleString("en")}` : "";
  }
}

/** Whether each status goes with one phase and each phase with one status: then one says it all. */
function sameAsPhases(chain) {
  const pairs = new Set(chain.status.map((word, index) => `${chain.phase[index]} ${word}`));
  return pairs.size === new Set(chain.status).size && pairs.size === new Set(chain.phase).size;
}

/** A small picture of the colour and pattern of a phase. */
export function phaseSwatch(colors, phase) {
  return swatch((pen) => {
    pen.fillStyle = phaseFill(pen, colors, phase);
    pen.fillRect(0, 1, 14, 12);
    pen.strokeStyle = phaseColor(colors, phase);
    pen.strokeRect(0.5, 1.5, 13, 11);
  });
}

/** A small picture of the shape of a mark. */
export function markSwatch(colors, mark) {
  return swatch((pen) => drawMark(pen, colors, mark, 7, 7, 5));
}

function swatch(drawing) {
  const ratio = window.devicePixelRatio || 1;
  const side = Math.round(14 * ratio);
  const canvas = element("canvas", { width: side, height: side, "aria-hidden": "true" });
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawing(pen);
  return canvas;
}
