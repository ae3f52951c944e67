// The bar below the state tree: the way to the selected row, what it is, copies of it, what is said.

import { appendText, copyButton, element } from "./dom.js";
import { prettyJson } from "./json.js";
import { beginning } from "./text.js";
import { REMOVED } from "./tree_model.js";
import { jsonPath, sizeWords } from "./tree_paths.js";

/** Path bar: the way to the selected row, what it is, and copies of it. */
export function pathBar(view, row) {
  const { tree } = view;
  const { columns } = tree;
  const way = [];
  for (let at = row; at >= 0; at = columns.parent[at]) way.unshift(at);
  const crumbs = way.map((at) =>
    appendText(
      element("button", { type: "button", class: "crumb", tabindex: -1, onclick: () => view.select(at, true) }),
      columns.key[at] === null ? "state" : beginning(String(columns.key[at]), 40),
    ),
  );
  const path = element("span", { class: "crumbs mono", "data-pointer": tree.pointer(row) });
  crumbs.forEach((crumb, place) => path.append(place ? element("span", { class: "muted" }, "/") : "", crumb));
  const pinned = view.pins.has(tree.pointer(row));
  const value = () => (tree.isText(row) ? tree.text(row) : prettyJson(columns, row));
  const tools = [
    copyButton("copy pointer", () => tree.pointer(row)),
    copyButton("JSONPath", () => jsonPath(tree, row)),
    copyButton("copy value", value),
    copyButton("source", () => columns.raw(row)),
    copyButton("key", () => String(columns.key[row] ?? "")),
    element("button", { type: "button", "aria-pressed": String(pinned), title: "Keep this place in sight while stepping (m)", onclick: () => view.pin(row) }, "pin"),
    element("button", { type: "button", "aria-pressed": String(view.reading), title: "Read the whole value (Enter)", onclick: () => view.read(!view.reading) }, "read"),
  ];
  tools[1].title = "Copy the normalised path, RFC 9535";
  tools[3].title = "Copy the characters as they stand in the state";
  tools[4].title = "Copy the key";
  return [
    path,
    element("span", { class: "what muted" }, ...described(tree, row)),
    element("span", { class: "tools" }, ...tools),
  ];
}

function described(tree, row) {
  const parts = sizeWords(tree, row);
  const owner = tree.owner(row);
  const plane = tree.plane(row);
  if (owner) parts.push(`written by ${owner}`);
  if (plane) parts.push(plane);
  return parts.flatMap((part, place) => (place ? [" · ", part] : [part]));
}

/** What is said about a row: violations and the change, each a line. */
export function notesOn(view, row) {
  const { tree } = view;
  const lines = (tree.violations.get(row) ?? []).map(({ pointer, message }) => {
    const line = element("div", { class: "note wrong-text" }, "! ");
    if (pointer !== tree.pointer(row)) line.append(appendText(element("span", { class: "mono text" }), pointer), ": ");
    return appendText(line, message);
  });
  const { from, alike } = tree.edit.get(row) ?? {};
  if (alike) lines.push(appendText(element("div", { class: "note" }), alike));
  if (from) lines.push(appendText(element("div", { class: "note" }, "moved from "), from));
  if (tree.op.get(row) === REMOVED) lines.push(element("div", { class: "note" }, "removed: its pointer is one of the base"));
  if (view.lost) lines.push(appendText(element("div", { class: "note" }, "not in this state: "), view.lost));
  return lines;
}
