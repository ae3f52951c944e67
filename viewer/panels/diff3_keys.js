// The keys of the diff, while its list has the focus.

import { copyText } from "./dom.js";

/** Do what the key press `event` asks of `panel`; keys of others are left to them. */
export function pressed(panel, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const page = panel.view.rowsInSight - 1;
  const actions = {
    ArrowDown: () => panel.move(1),
    ArrowUp: () => panel.move(-1),
    j: () => panel.move(1),
    k: () => panel.move(-1),
    n: () => panel.jump(1),
    p: () => panel.jump(-1),
    PageDown: () => panel.step(panel.place + page),
    PageUp: () => panel.step(panel.place - page),
    Home: () => panel.step(0),
    End: () => panel.step(panel.rows.length - 1),
    Enter: () => panel.folds.turn(panel.place),
    " ": () => panel.folds.turn(panel.place),
    c: () => panel.entry && copyText(panel.entry.path),
    m: () => panel.controls.shown.hidden || panel.showObserved(!panel.observing),
    x: () => ignoreHere(panel),
    "/": () => panel.controls.input.select(),
    Escape: () => panel.leave(),
  };
  if (!Object.hasOwn(actions, event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  actions[event.key]();
}

function ignoreHere(panel) {
  const row = panel.rows[panel.place];
  if (row?.entry) panel.ignore(row.entry.path);
  else if (row?.kind === "group" && !row.byNode) panel.ignore(`/${row.name}`);
}

/** Do what the key press `event` in the filter asks of `panel`. */
export function pressedInFilter(panel, event) {
  event.stopPropagation();
  const { input } = panel.controls;
  if (event.key === "Enter" || event.key === "ArrowDown") {
    event.preventDefault();
    if (input.value !== panel.filters.query) panel.filterText(input.value);
    panel.view.node.focus();
    if (panel.place < 0) panel.jump(1);
  } else if (event.key === "Escape") {
    input.value = "";
    panel.filterText("");
    panel.view.node.focus();
  }
}
