// The controls of the strip: toolbar, way up, legend, nested rows.

import { appendText, element } from "./dom.js";
import { idleGaps } from "./strip_axis.js";
import { noFilter, toggled } from "./strip_filter.js";
import { helpDialog } from "./strip_help.js";
import { Legend } from "./strip_legend.js";
import { VIOLATION } from "./strip_look.js";
import { NestedRows } from "./strip_nested.js";
import { pointAt } from "./strip_pointer.js";

/** Build the parts of `panel`, once. */
export function build(panel) {
  const step = (distance) => () => panel.step(distance);
  const button = (title, onclick, ...parts) => element("button", { type: "button", title, onclick }, ...parts);
  panel.where = element("span", { class: "where", "aria-live": "polite" });
  panel.violations = button("Next violation (v)", () => panel.toNext("mark", VIOLATION, 1), "next violation ", element("kbd", {}, "v"));
  panel.byTime = button("Cells by time or by step (t)", () => panel.setClock(!panel.shown.byTime), "by time ", element("kbd", {}, "t"));
  panel.idle = button("Fold the time in which nothing was saved", () => panel.foldGaps(), "idle folded");
  panel.subgraphs = button("Subgraphs that ran after this checkpoint (s)", () => panel.toggleNested(), "subgraphs ", element("kbd", {}, "s"));
  panel.way = element("nav", { class: "way", "aria-label": "Chains that ran this one" });
  panel.legend = new Legend({
    filter: (facet, value) => panel.setFilter(toggled(panel.shown.filter, facet, value)),
    next: (facet, value) => panel.toNext(facet, value, 1),
    clear: () => panel.setFilter(noFilter()),
  });
  panel.nested = new NestedRows((namespace, index) => panel.report("open", { namespace, index }), () => panel.draw());
  panel.canvas = element("canvas", {
    tabindex: 0,
    role: "slider",
    "data-strip": true,
    "aria-label": "Checkpoint",
  });
  panel.tip = element("div", { class: "tip", role: "presentation", hidden: true });
  panel.help = helpDialog();
  panel.root.replaceChildren(
    element(
      "div",
      { class: "toolbar", role: "toolbar", "aria-label": "Step through the chain" },
      panel.way,
      button("Previous checkpoint (←)", step(-1), "‹ previous"),
      button("Next checkpoint (→)", step(1), "next ›"),
      panel.where,
      panel.violations,
      panel.subgraphs,
      panel.idle,
      panel.byTime,
      element("button", { type: "button", title: "Keys (?)", "aria-label": "Keys", onclick: () => panel.help.showModal() }, "keys ", element("kbd", {}, "?")),
    ),
    element("div", { class: "drawing" }, panel.canvas),
    panel.nested.root,
    panel.legend.root,
    panel.tip,
    panel.help,
  );
  pointAt(panel);
}

/** Draw what follows the position: where nested rows stand, whether this cell has any. */
export function drawPlaced(panel) {
  const axis = panel.layout.window(panel.pivot);
  const { first, last } = axis;
  panel.nested.place((index) => (index >= first && index < last ? axis.left(index) : null));
  const count = panel.chain.nests[panel.position];
  panel.subgraphs.disabled = !count;
  panel.subgraphs.setAttribute("aria-expanded", count > 0 && panel.nested.has(panel.position));
}

/** Draw what depends on the chain and the theme, not on the position. */
export function drawControls(panel) {
  const { chain } = panel;
  panel.legend.draw(chain, panel.colors);
  panel.legend.show(panel.shown.filter, panel.match.count, chain.count);
  panel.nested.update(chain, panel.colors, panel.shown.nested);
  panel.violations.hidden = !chain.mark.some((bits) => bits & VIOLATION);
  panel.subgraphs.hidden = !chain.nests.some((count) => count);
  panel.byTime.disabled = chain.time.filter((time) => time !== null).length < 2;
  panel.gaps = idleGaps(chain.time);
  drawClock(panel);
  const up = chain.way.map(([namespace, name, index]) => {
    const open = () => panel.report("open", { namespace, index: index ?? 0 });
    const title = `Up to the chain that ran this one${index === null ? "" : `, at @${index}`}`;
    return [element("button", { type: "button", title, onclick: open }, appendText(element("span"), name)), "›"];
  });
  panel.way.replaceChildren(...up.flat(), up.length ? appendText(element("b"), chain.called) : "");
  panel.way.hidden = !up.length;
}

/** Draw the state of the clock's switches. */
export function drawClock(panel) {
  const { byTime, unfolded } = panel.shown;
  panel.byTime.setAttribute("aria-pressed", byTime);
  panel.idle.hidden = !byTime || !panel.gaps.size;
  panel.idle.setAttribute("aria-pressed", !unfolded.size);
}
