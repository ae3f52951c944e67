// The keys, listed for people. Every panel's keys stand here: a test holds the list to the code.

import { element } from "./dom.js";

const HELP = [
  ["← →  or  k j", "previous, next checkpoint (while the legend filters: that matches); k j also from the state, ← → also from the diff"],
  ["shift + ← →", "ten checkpoints"],
  ["Home  End", "first, last checkpoint"],
  ["v  V", "next, previous violation"],
  ["f  F", "next, previous finding"],
  ["b", "compare with this checkpoint from now on (again: with the parent)"],
  ["d", "diff with the base"],
  ["t", "cells by time or by step"],
  ["s", "subgraphs that ran after this checkpoint: unfold, fold"],
  ["o  u", "into the subgraph of a task, up to the chain that ran it"],
  ["/", "search in the state or the diff"],
  ["n  p", "in the state or the diff: next, previous change or hit"],
  ["Esc", "leave the search or the list, so that the arrows step again"],
  ["?", "this help"],
];

/** The dialog that lists the keys. */
export function helpDialog() {
  const rows = HELP.map(([keys, what]) =>
    element("tr", {}, element("th", { scope: "row" }, element("kbd", {}, keys)), element("td", {}, what)),
  );
  const dialog = element("dialog", { "aria-label": "Keys", class: "help" });
  dialog.append(
    element("h2", {}, "Keys"),
    element("table", {}, element("tbody", {}, ...rows)),
    element("button", { type: "button", onclick: () => dialog.close() }, "Close"),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}
