// Subgraph chains unfolded beneath the cell that ran them, one level at a time.

import { ask } from "./asking.js";
import { appendText, element } from "./dom.js";
import { markSwatch, phaseSwatch } from "./strip_legend.js";
import { SHAPES } from "./strip_look.js";
import { chainFrom } from "./strip_model.js";
import { sentence } from "./strip_words.js";
import { counted } from "./text.js";

const CELLS = 48;
const ENDS = 18;
const NAMED = 12;
const STANDING = { live: "not finished", finished: "finished", detached: "left behind" };

export class NestedRows {
  /** `open` is called with a namespace and an index when a person chooses a nested checkpoint. */
  constructor(open, changed) {
    this.open = open;
    this.changed = changed;
    this.root = element("div", { class: "nests", role: "group", "aria-label": "Subgraphs", hidden: true });
    this.unfolded = new Set();
    this.answers = new Map();
  }

  /** Show the chain of another thread or namespace, or the same one after it grew. */
  update(chain, colors, unfolded) {
    this.chain = chain;
    this.colors = colors;
    this.unfolded = unfolded;
    this.answers.clear();
    this.draw();
  }

  has(index, namespace = this.chain.namespace) {
    return this.unfolded.has(keyOf(namespace, index));
  }

  toggle(index, namespace = this.chain.namespace) {
    const key = keyOf(namespace, index);
    if (!this.unfolded.delete(key)) this.unfolded.add(key);
    this.draw();
    this.changed();
  }

  draw() {
    const blocks = [];
    for (let index = 0; index < this.chain.count; index += 1) {
      if (this.chain.nests[index] && this.has(index)) blocks.push(this.block(this.chain.namespace, index, `@${index}`));
    }
    // A toggle that was pressed keeps the focus in the rows drawn anew.
    const focused = this.root.getRootNode().activeElement?.dataset?.toggles;
    this.root.replaceChildren(...blocks);
    this.root.hidden = !blocks.length;
    if (focused) [...this.root.querySelectorAll("[data-toggles]")].find((one) => one.dataset.toggles === focused)?.focus();
    this.place();
  }

  /** Put each row beneath its cell; `leftOf` tells where that is, null where it is out of sight. */
  place(leftOf = this.leftOf) {
    this.leftOf = leftOf;
    if (!leftOf) return;
    const most = Math.max(0, this.root.clientWidth * 0.45);
    for (const block of this.root.children) {
      const left = leftOf(Number(block.dataset.index));
      block.style.marginLeft = `${Math.min(most, Math.max(0, left ?? 0))}px`;
      block.classList.toggle("away", left === null || left > most);
    }
  }

  block(namespace, index, place) {
    const block = element("div", { class: "nest", "data-index": index });
    block.append(element("span", { class: "muted from" }, `after ${place}`));
    const answer = this.answerFor(namespace, index);
    if (answer.error) block.append(appendText(element("span", { role: "alert" }), `cannot be read: ${answer.error}`));
    else if (!answer.chains) block.append(element("span", { class: "muted" }, "reading …"));
    else block.append(...answer.chains.map((one) => this.row(one, place)));
    if (answer.more) block.append(element("span", { class: "muted" }, `and ${counted(answer.more, "more subgraph")}`));
    return block;
  }

  answerFor(namespace, index) {
    const key = keyOf(namespace, index);
    const known = this.answers.get(key);
    if (known) return known;
    const answer = {};
    this.answers.set(key, answer);
    ask("nested", { namespace, index })
      .then(({ chains, more }) => {
        answer.chains = chains.map((one) => ({ ...one, chain: one.strip && chainFrom(one.strip) }));
        answer.more = more;
      })
      .catch((error) => (answer.error = error.message))
      .then(() => this.answers.get(key) === answer && this.draw());
    return answer;
  }

  row(one, place) {
    const row = element("div", { class: "nest-row" });
    const name = appendText(element("b"), one.node);
    const head = one.head ?? 0;
    row.append(
      element("button", { type: "button", class: "name", title: `Open this subgraph at its head. ${one.reason}`, onclick: () => this.open(one.namespace, head) }, name),
      element("span", { class: "muted" }, [STANDING[one.standing], counted(one.count, "checkpoint")].filter(Boolean).join(" · ")),
    );
    if (!one.chain) return row;
    const { count } = one.chain;
    const blocks = [];
    for (let index = 0; index < count; index += 1) {
      if (count > CELLS && index === ENDS) {
        index = count - ENDS;
        row.append(element("span", { class: "muted" }, `… ${(count - 2 * ENDS).toLocaleString("en")} more …`));
      }
      row.append(this.cell(one, index));
      if (one.chain.nests[index] && this.has(index, one.namespace)) {
        blocks.push(this.block(one.namespace, index, `${place} › ${one.node} @${index}`));
      }
    }
    row.append(...blocks);
    return row;
  }

  cell({ chain, namespace, node }, index) {
    const told = sentence(chain, index);
    const label = chain.count <= NAMED && chain.node[index] ? chain.node[index] : `${chain.step[index] ?? `@${index}`}`;
    const marks = SHAPES.filter((mark) => chain.mark[index] & mark).map((mark) => markSwatch(this.colors, mark));
    const button = element(
      "button",
      { type: "button", class: "cell", title: `@${index} · ${told}`, "aria-label": `${node} checkpoint ${index}, ${told}`, onclick: () => this.open(namespace, index) },
      phaseSwatch(this.colors, chain.phase[index]),
      appendText(element("span", { class: "word" }), label),
      ...marks,
    );
    if (!chain.nests[index]) return button;
    const open = this.has(index, namespace);
    const toggle = element(
      "button",
      { type: "button", class: "toggle", "aria-expanded": open, "data-toggles": keyOf(namespace, index), "aria-label": `Subgraphs after ${node} checkpoint ${index}`, title: open ? "Fold its subgraphs" : "Unfold its subgraphs", onclick: () => this.toggle(index, namespace) },
      `${open ? "▴" : "▾"} ${chain.nests[index]}`,
    );
    return element("span", { class: "pair" }, button, toggle);
  }
}

const keyOf = (namespace, index) => `${index} ${namespace}`;
