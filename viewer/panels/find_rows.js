// One hit as a row of the list.

import { appendText, element } from "./dom.js";
import { inHowMany, spaceName, spoken } from "./find_model.js";

export const HIT_HEIGHT = 26;

/** Return the row of `hit`; `line` goes where a click on it leads. */
export function hitRow(hit, place, line) {
  const to = (toLast, elsewhere) => (event) => {
    event.stopPropagation();
    line.go(hit, toLast, elsewhere);
  };
  const selected = place === line.active;
  return element(
    "div",
    {
      id: `hit-${place}`,
      class: selected ? "row hit selected" : "row hit",
      role: "option",
      "aria-selected": selected ? "true" : "false",
      "aria-label": spoken(hit),
      onclick: to(false),
    },
    what(hit),
    element("span", { class: "mono muted where", title: hit.pointer }, appended(hit.pointer || "(whole state)")),
    line.state.whole ? element("span", { class: "muted space", title: hit.namespace }, appended(spaceName(hit.namespace))) : null,
    element(
      "span",
      { class: "when" },
      jump("first ", hit.first, to(false), "Go to the first checkpoint that has it (Enter)"),
      hit.last === hit.first ? null : jump("last ", hit.last, to(true), `Go to the last checkpoint that has it: ${hit.lastPointer} (shift Enter)`),
      element("span", { class: "count", title: hit.atHead ? "Still there at the live head" : null }, inHowMany(hit)),
      hit.atHead ? null : element("span", { class: "gone", title: "It does not stand in the live head: it left, or is of another branch" }, "not in the head"),
      line.showsPlaces ? null : element("span", { class: "jump", title: "Show the place on the Timeline (ctrl Enter)", onclick: to(false, true) }, "Timeline"),
    ),
  );
}

function what({ kind, text: [before, match, after], value }) {
  const node = element("span", { class: `mono what ${kind}`, title: before + match + after });
  appendText(node, before);
  if (match) node.append(appendText(element("mark"), match));
  appendText(node, after);
  if (kind === "key") node.append(element("span", { class: "muted" }, appended(`: ${value}`)));
  return node;
}

function appended(text) {
  return appendText(element("span", { class: "text" }), text);
}

// No button: an option holds no controls of its own; its keys are those of the list.
function jump(word, index, go, title) {
  return element("span", { class: "jump", title, onclick: go }, element("span", { class: "muted" }, word), `@${index}`);
}
