// The inspector beside the state tree: everything that is known of the selected place.

import { ask, goTo } from "./asking.js";
import { afterQuiet, appendText, element } from "./dom.js";
import { ARRAY, NUMBER, STRING } from "./json.js";
import { beginning, counted, nearOther } from "./text.js";
import { kept, keep } from "./tree_memory.js";
import { SHOWN_WORDS, rulesAt, schemaWords } from "./tree_meaning.js";
import { OP_SIGNS, OP_WORDS } from "./tree_model.js";
import { momentLines, sameAcrossSiblings, sizeWords } from "./tree_paths.js";

const WIDE = 1_080;
const OPEN = "checkpoint-viewer inspector";
const SECTIONS = "checkpoint-viewer inspector sections";
const OLD_SHOWN = 400;

export class Inspector {
  constructor(panel) {
    this.panel = panel;
    this.wish = kept("local", OPEN);
    this.sections = { siblings: true, biography: true, ...kept("local", SECTIONS) };
    this.facts = element("div", { class: "facts" });
    this.siblings = this.section("siblings", "same path in the items beside it");
    this.biography = this.section("biography", "biography");
    const close = element("button", { type: "button", title: "Close the inspector (i)", onclick: () => this.toggle() }, "close");
    this.title = element("div", { class: "inspector-name" });
    this.node = element(
      "aside",
      { class: "inspector", "aria-label": "Inspector", tabindex: 0 },
      element("div", { class: "inspector-head" }, this.title, close),
      this.facts,
      this.siblings.node,
      this.biography.node,
    );
    this.later = afterQuiet(() => this.drawSlow(), 200);
    this.reducers = new Map();
  }

  section(name, label) {
    const body = element("div", {});
    const node = element("details", { open: this.sections[name], hidden: true }, element("summary", {}, label), body);
    node.addEventListener("toggle", () => {
      if (this.sections[name] === node.open) return;
      this.sections[name] = node.open;
      keep("local", SECTIONS, this.sections);
      if (node.open) this.later();
    });
    return { node, body };
  }

  close() {
    this.asking?.abort();
  }

  /** Whether it is open: as it was left, else where the panel is wide enough for both. */
  get open() {
    return this.wish ?? this.panel.root.clientWidth >= WIDE;
  }

  get beside() {
    return this.panel.root.clientWidth >= WIDE;
  }

  toggle() {
    this.wish = !this.open;
    keep("local", OPEN, this.wish);
    this.panel.drawSelection();
  }

  /** Draw what is known at once; what must be looked for, or asked, follows when it is quiet. */
  draw() {
    this.asking?.abort();
    this.node.hidden = !this.open;
    this.panel.root.classList.toggle("beside", this.open && this.beside);
    if (!this.open) return;
    const { tree, selected } = this.panel;
    const key = tree.columns.key[selected];
    this.title.replaceChildren();
    appendText(this.title, key === null ? "state" : beginning(String(key), 60));
    this.facts.replaceChildren(...this.factParts(tree, selected));
    this.biography.body.replaceChildren();
    this.siblings.node.hidden = true;
    this.biography.node.hidden = this.panel.about.index === null;
    this.later();
  }

  factParts(tree, row) {
    const tokens = tree.tokens(row);
    const shown = this.panel.meanings.shown;
    const facts = [
      ["type", sizeWords(tree, row).join(" · ")],
      ["owner", tree.owner(row)],
      ["plane", tree.plane(row)],
      ["reducer", this.reducers.get(this.panel.about.thread)?.[tokens[0]]],
      ...rulesAt(tree.rules, tokens).map((words) => ["rule", words]),
      ["model", shown ? `${this.shownWords(shown, row)}, by the projection` : null],
      ...(tree.columns.isContainer(row) ? [] : momentLines(tree.columns.kind[row], tree.text(row))),
    ].filter(([, text]) => text);
    const schema = schemaWords(tree.schema, tokens);
    return [
      lines(facts),
      ...this.changeParts(tree, row),
      this.panel.controls.notes,
      schema.length ? element("div", { class: "inspector-part" }, "schema") : null,
      schema.length ? lines(schema) : null,
    ].filter(Boolean);
  }

  /** Of a container: whether all, some or none of what is in it is shown. */
  shownWords(shown, row) {
    const { end } = this.panel.tree.columns;
    for (let at = row + 1; at < end[row]; at += 1) {
      if (end[at] === at + 1 && shown[at] !== shown[row]) return "would be shown in part";
    }
    return SHOWN_WORDS[shown[row]];
  }

  changeParts(tree, row) {
    const op = tree.tone[row];
    const below = tree.changesBelow[row] - (tree.op.has(row) ? 1 : 0);
    const { base } = this.panel.about;
    const against = base === null ? "" : ` since @${base}`;
    const parts = [];
    if (op) parts.push(element("span", { class: `${OP_WORDS[op]} mark` }, element("span", { class: "change" }, `${OP_SIGNS[op]} ${OP_WORDS[op]}`), against));
    const old = this.panel.oldValue(row);
    if (old) {
      const delta = old.kind === NUMBER && tree.columns.kind[row] === NUMBER ? difference(old.line, tree.text(row)) : null;
      parts.push(element("div", { class: "was" }, element("span", { class: "muted" }, "was "), appendText(element("span", { class: "old mono text" }), beginning(old.line, OLD_SHOWN))));
      if (delta) parts.push(element("div", { class: "was muted" }, delta));
    }
    if (below) parts.push(element("div", { class: "muted" }, `${counted(below, "change")} inside${op ? "" : against}`));
    return parts.length ? [element("div", { class: "inspector-part" }, "change"), element("div", { class: "changed-here" }, ...parts)] : [];
  }

  drawSlow() {
    if (!this.open || !this.panel.tree) return;
    this.drawSiblings();
    this.asking?.abort();
    this.asking = new AbortController();
    this.askBiography(this.asking.signal);
    this.askReducers();
  }

  drawSiblings() {
    const { tree, selected } = this.panel;
    const found = sameAcrossSiblings(tree, selected);
    const { node, body } = this.siblings;
    node.hidden = !found;
    if (!found) return;
    const path = found.path.join("/");
    node.firstChild.replaceChildren();
    appendText(node.firstChild, `${path} in ${counted(found.total, "item")} · ${found.distinct} distinct`);
    if (!node.open) return;
    const rows = found.values.map(([place, row]) => {
      const line = element("button", { type: "button", class: "line", "aria-current": String(row === selected), disabled: row === null, onclick: () => this.panel.select(row, true) });
      line.append(element("span", { class: "muted" }, `${place} `));
      return row === null ? (line.append(element("span", { class: "absent" }, "absent")), line) : appendText(line, preview(tree, row));
    });
    const more = found.total - found.values.length;
    body.replaceChildren(...rows, more > 0 ? element("div", { class: "muted" }, `and ${counted(more, "item")} more${found.compared < found.total ? `; distinct among the first ${found.compared.toLocaleString("en")}` : ""}`) : "");
  }

  async askBiography(signal) {
    const { node, body } = this.biography;
    const { index } = this.panel.about;
    if (index === null || !node.open) return;
    const pointer = this.panel.tree.pointer(this.panel.selected);
    try {
      const told = await ask("biography", { index, pointer }, signal);
      if (!signal.aborted) body.replaceChildren(...biographyLines(told, index, pointer));
    } catch (error) {
      if (!signal.aborted) body.replaceChildren(element("div", { class: "muted" }, "not known here"));
      body.title = error.message;
    }
  }

  async askReducers() {
    const { thread, index } = this.panel.about;
    if (index === null || this.reducers.has(thread)) return;
    this.reducers.set(thread, {});
    try {
      this.reducers.set(thread, await ask("reducers", {}));
      if (this.panel.about.thread === thread) this.facts.replaceChildren(...this.factParts(this.panel.tree, this.panel.selected));
    } catch {
      // No reducer is known then: the line stays out.
    }
  }
}

function lines(pairs) {
  const list = element("dl", {});
  for (const [label, text] of pairs) list.append(element("dt", {}, label), appendText(element("dd", {}), String(text)));
  return list;
}

function preview(tree, row) {
  const { columns } = tree;
  if (columns.kind[row] === STRING) return beginning(tree.text(row), 120);
  if (!columns.isContainer(row)) return columns.raw(row);
  return `${columns.kind[row] === ARRAY ? "[" : "{"}${columns.count[row]}${columns.kind[row] === ARRAY ? "]" : "}"}`;
}

/** Return by how much a number grew, where both can be told exactly. */
function difference(before, after) {
  if (!/^-?\d+$/.test(before) || !/^-?\d+$/.test(after)) return null;
  const delta = BigInt(after) - BigInt(before);
  return `${delta > 0n ? "+" : ""}${delta.toLocaleString("en")}`;
}

// Characters of a run's value that stand in its line.
const RUN_ROOM = 38;

/** Return the runs of checkpoints in which a place held one value, each a link to its first. */
function biographyLines({ runs = [], changes = 0 }, index, pointer) {
  const texts = runValues(runs);
  const found = runs.map((run, number) => {
    const span = run.from === run.to ? `@${run.from}` : `@${run.from}–@${run.to}`;
    const here = run.from <= index && index <= run.to;
    const said = [...(run.nodes ?? []), run.text].filter(Boolean).join(" · ");
    const whole = run.value === null ? "absent" : beginning(String(run.value), 400);
    const title = [`Go to @${run.from}`, whole, said && `by ${said}`, run.time].filter(Boolean).join("\n");
    const line = element("button", { type: "button", class: "line", "aria-current": String(here), title, onclick: () => goTo(run.from, pointer) });
    line.append(element("span", { class: "mono span" }, span), " ");
    if (run.value === null) line.append(element("span", { class: "what absent" }, "absent"));
    else line.append(appendText(element("span", { class: "what mono text" }), texts[number]));
    return said ? (line.append(appendText(element("span", { class: "said muted" }, " · "), said)), line) : line;
  });
  const values = runs.length && changes + 1 === runs.length ? `${counted(runs.length, "value")}, ` : "";
  return [element("div", { class: "muted" }, `${values}${counted(changes, "change")}`), ...found];
}

/** The values of `runs` for a line each; a long one begins where it differs from the one before. */
export function runValues(runs, room = RUN_ROOM) {
  return runs.map(({ value }, number) => {
    if (value === null || value === undefined) return "absent";
    const text = String(value);
    const other = runs[number - 1]?.value ?? runs[number + 1]?.value;
    if (other === null || other === undefined || text.length <= room) return beginning(text, 120);
    return nearOther(text, String(other), 120, room);
  });
}
