// The pinned places above the tree: their value in this state, and whether it changed.

import { appendText, element } from "./dom.js";
import { OP_SIGNS, OP_WORDS } from "./tree_model.js";
import { valueOf } from "./tree_rows.js";

/** Return one line a pinned pointer; `view` is the panel. */
export function pinnedRows(view) {
  return view.pins.pointers.map((pointer) => {
    const row = view.tree.at(pointer);
    const tone = row === null ? 0 : view.tree.tone[row];
    const named = element("button", { type: "button", class: "pinned-name mono", title: pointer || "the whole state", onclick: () => view.goToPointer(pointer) });
    appendText(named, pointer || "state");
    return element(
      "div",
      { class: `pinned ${OP_WORDS[tone]}`, role: "listitem", "data-pointer": pointer },
      named,
      row === null ? element("span", { class: "absent" }, "absent") : valueOf(view, row, view.tree.op.get(row) ?? 0, true),
      tone ? element("span", { class: "change" }, `${OP_SIGNS[tone]} ${OP_WORDS[tone]}`) : null,
      element("button", { type: "button", class: "unpin", title: "Let go of this place (m)", "aria-label": `unpin ${pointer || "state"}`, onclick: () => view.unpin(pointer) }, "unpin"),
    );
  });
}
