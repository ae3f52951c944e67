// The keys of all panels, listed for people. A test holds this list to the code of the panels.

import { element } from "./dom.js";

const HELP = [
  [
    "Anywhere",
    [
      [["←", "→", "k", "j"], "previous, next checkpoint; while the legend filters, the next that matches"],
      [["shift + ← →"], "ten checkpoints"],
      [["Home", "End"], "first, last checkpoint"],
      [["v", "V"], "next, previous violation"],
      [["f", "F"], "next, previous finding"],
      [["b"], "compare with this checkpoint from now on (again: with the parent)"],
      [["d"], "diff with the base"],
      [["t"], "cells by time, by step"],
      [["s"], "unfold, fold the subgraphs that ran after this checkpoint"],
      [["o", "u"], "into the subgraph of a task, up to the chain that ran it (Timeline)"],
      [["/"], "search in the state or the diff"],
      [["g"], "search all steps"],
      [["?"], "this help"],
    ],
  ],
  [
    "In the state",
    [
      [["↑", "↓", "PageUp", "PageDown", "Home", "End"], "from row to row"],
      [["→", "←"], "open, close or to the parent"],
      [["Enter", "Space"], "open a container, read a value"],
      [["n", "p"], "next, previous change or hit"],
      [["m"], "pin this place"],
      [["i"], "inspector"],
      [["c"], "copy the pointer"],
      [["Esc"], "leave the search or the tree, so that the arrows step again"],
    ],
  ],
  [
    "In the diff",
    [
      [["↑", "↓", "k", "j", "PageUp", "PageDown", "Home", "End"], "from row to row; ← → still step"],
      [["n", "p"], "next, previous change"],
      [["Enter", "Space"], "unfold, fold"],
      [["m"], "what the model was shown"],
      [["x"], "leave this path out for now"],
      [["c"], "copy the path"],
      [["Esc"], "leave the filter or the list"],
    ],
  ],
  [
    "In the transcript",
    [
      [["n", "p"], "next, previous mention of the chosen identifier"],
      [["Esc"], "choose none; leave the presenter"],
      [["Space", "PageDown", "PageUp"], "in the presenter: next, previous step; arrows, j k, Home End too"],
    ],
  ],
];

/** The dialog that lists the keys. */
export function helpDialog() {
  const dialog = element("dialog", { "aria-label": "Keys", class: "help" });
  dialog.append(
    element("h2", {}, "Keys"),
    element("div", { class: "sections" }, ...HELP.map(([title, rows]) => section(title, rows))),
    element("button", { type: "button", onclick: () => dialog.close() }, "Close"),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}

function section(title, rows) {
  const lines = rows.map(([keys, what]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, ...keys.map((key) => element("kbd", {}, key))),
      element("td", {}, what),
    ),
  );
  return element("section", {}, element("h3", {}, title), element("table", {}, element("tbody", {}, ...lines)));
}
