// Messages on the left, the state on the right. A chosen identifier is marked wherever it stands:
// who wrote each mention, and which rows of evidence returned it. It is data, so it never enters
// the address; the panel keeps it while a person steps.

import { ask } from "./asking.js";
import { chosenParts, firstParts, followInput, identifierParts, noteLine, stateNow } from "./conversation_facts.js";
import { mentionAfter, standingOf } from "./conversation_model.js";
import { evidenceCell, messageCell } from "./conversation_rows.js";
import { element } from "./dom.js";
import { Columns, prettyJson } from "./json.js";

const conversations = new WeakMap();
// What was chosen and opened last in each chain, should the page build its element anew.
const remembered = new Map();
const STORED = 200_000;

export default function conversation({ data, parentElement, setTriggerValue }) {
  let panel = conversations.get(parentElement);
  if (!panel) {
    panel = new Conversation(parentElement.querySelector(".panel"));
    conversations.set(parentElement, panel);
  }
  panel.act = setTriggerValue;
  panel.update(data);
  return () => conversations.delete(parentElement);
}

class Conversation {
  constructor(root) {
    this.root = root;
    root.classList.add("conversation");
    this.bar = element("div", { class: "toolbar" });
    this.facts = [element("div", { class: "chosen", hidden: true }), element("div", { class: "chosen", hidden: true })];
    this.titles = element("div", { class: "titles" });
    this.scroller = element("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": "Messages and evidence" });
    this.said = element("div", { class: "visually-hidden", "aria-live": "polite" });
    root.replaceChildren(this.bar, this.titles, this.scroller, this.said);
    root.addEventListener("keydown", (event) => this.onKey(event));
    root.addEventListener("click", ({ target }) => {
      const mark = target.closest?.(".mention");
      if (mark) this.choose(mark.mentioned, mark);
    });
    root.addEventListener("redrawn", () => this.mark());
  }

  update(data) {
    if (this.given?.rev === data.rev) return;
    this.given = data;
    this.kept = remembered.get(data.chain) ?? { id: null, text: null, stateOpen: window.innerHeight > 820 };
    remembered.set(data.chain, this.kept);
    this.show(data);
    if (this.kept.text !== null) this.follow(this.kept.text);
  }

  /** Follow any text like an identifier; it is nobody's fact, and it stays out of the address. */
  async follow(text, jump = false) {
    const { rev, index } = this.given;
    this.kept.text = text;
    try {
      const data = await ask("conversation", { index, text });
      if (this.given.rev !== rev || this.kept.text !== text) return;
      this.show(data);
      if (jump) this.go(1);
    } catch (error) {
      this.said.textContent = `not followed: ${error.message}`;
    }
  }

  /** Let go of the chosen identifier and of a text that was followed. */
  clear() {
    this.kept.id = null;
    if (this.kept.text === null) return this.choose(null, null);
    this.kept.text = null;
    this.show(this.given);
  }

  show(data) {
    const stepped = this.data && this.data.chain === data.chain && this.data.index !== data.index;
    const place = this.scroller.scrollTop;
    this.data = data;
    this.first = data.first;
    this.known = new Map(data.identifiers.map((one) => [one.id, one]));
    this.look = {
      standing: (id) => standingOf(this.known.get(id), data.evidence !== null),
      fresh: (index) => index >= data.fresh,
      edit: (pointer) => this.act("edit", pointer),
      stored: (pointer) => this.stored(pointer),
    };
    this.drawBar();
    this.drawTitles();
    this.drawRows();
    this.root.classList.toggle("short", !data.rows.length && !data.rest.length);
    this.choose(this.kept.id, null);
    this.scroller.scrollTop = place;
    if (stepped) this.reveal(this.scroller.querySelector(".pair.fresh"));
    this.root.dataset.rev = data.rev;
  }

  drawBar() {
    const input = followInput(this.kept.text, (text) => {
      this.kept.id = text;
      this.follow(text, true);
    });
    this.bar.replaceChildren(...identifierParts(this.data), ...(this.data.count ? [input] : []));
  }

  drawTitles() {
    const { count, evidence, state, notes, index } = this.data;
    const many = `${count.toLocaleString("en")} message${count === 1 ? "" : "s"}`;
    const rows = evidence === null ? "no evidence is declared" : `${evidence} row${evidence === 1 ? "" : "s"} of evidence`;
    const toggle = element("button", { type: "button", "aria-pressed": String(this.kept.stateOpen) }, "state now");
    const fields = stateNow(state, this.look, (at) => this.act("open", { index, at }));
    fields.hidden = !this.kept.stateOpen;
    toggle.addEventListener("click", () => {
      this.kept.stateOpen = fields.hidden;
      fields.hidden = !fields.hidden;
      toggle.setAttribute("aria-pressed", String(!fields.hidden));
    });
    const head = element("div", { class: "column-head" }, element("b", {}, `State: ${rows}`), toggle);
    this.titles.replaceChildren(
      element("div", {}, element("div", { class: "column-head" }, element("b", {}, `Transcript: ${many}`)), this.facts[0]),
      element("div", {}, head, this.facts[1], fields, ...notes.map(noteLine)),
    );
  }

  drawRows() {
    const { rows, rest } = this.data;
    const drawn = rows.map((row) => this.pair(row));
    if (rest.length) {
      drawn.push(element("div", { class: "rest" }, "Evidence without a message of its own"));
      for (const row of rest) drawn.push(element("div", { class: "pair" }, element("div", { class: "message none" }), evidenceCell(row, this.look)));
    }
    this.scroller.replaceChildren(...this.earlier(), ...drawn);
  }

  pair(row) {
    const fresh = this.look.fresh(row.index) ? " fresh" : "";
    return element("div", { class: `pair${fresh}` }, messageCell(row, this.look), evidenceCell(row.evidence, this.look));
  }

  earlier() {
    if (!this.first) return [];
    const label = `show earlier messages (${this.first.toLocaleString("en")} more)`;
    return [element("button", { type: "button", class: "earlier", onclick: () => this.loadEarlier() }, label)];
  }

  async loadEarlier() {
    const button = this.scroller.querySelector(".earlier");
    if (!button || button.disabled) return false;
    button.disabled = true;
    button.textContent = "reading …";
    const { rev, index } = this.data;
    try {
      const { rows, first } = await ask("messages", { index, before: this.first, text: this.kept.text });
      if (this.data.rev !== rev) return false;
      const height = this.scroller.scrollHeight;
      this.first = first;
      button.replaceWith(...this.earlier(), ...rows.map((row) => this.pair(row)));
      this.scroller.scrollTop += this.scroller.scrollHeight - height;
      this.mark();
      return true;
    } catch (error) {
      button.disabled = false;
      button.textContent = `not read: ${error.message}. Try again`;
      return false;
    }
  }

  async stored(pointer) {
    try {
      const columns = new Columns();
      columns.read(await ask("value", { index: this.data.index, pointer }));
      return prettyJson(columns, 0, STORED);
    } catch (error) {
      return `not read: ${error.message}`;
    }
  }

  /** Choose an identifier, or none; `mark` is the mention that was clicked. */
  choose(id, mark) {
    const again = id !== null && this.kept.id === id && mark?.classList.contains("chip");
    this.kept.id = again ? null : id;
    this.mark();
    const marks = this.marks();
    this.at = mark ? marks.indexOf(mark) : -1;
    this.drawFacts();
    if (this.at >= 0) this.point();
    else if (mark && this.kept.id !== null) this.go(1);
  }

  marks() {
    const all = this.scroller.querySelectorAll(".message .mention");
    return [...all].filter((mark) => mark.mentioned === this.kept.id);
  }

  /** Mark what is chosen wherever it stands; each mention says its number and who wrote it. */
  mark() {
    const { id } = this.kept;
    for (const mark of this.root.querySelectorAll(".mention")) {
      const chosen = id !== null && mark.mentioned === id;
      mark.classList.toggle("on", chosen);
      if (mark.classList.contains("chip")) mark.setAttribute("aria-pressed", String(chosen));
      mark.querySelector(".number")?.remove();
    }
    const marks = this.marks();
    const before = (this.known.get(id)?.count ?? 0) - marks.length;
    marks.forEach((mark, n) => {
      const who = mark.dataset.by.replace("tool_ok", "tool result").replace("tool_refused", "tool refusal");
      mark.append(element("span", { class: "number" }, `${before + n + 1} ${who}`));
    });
    for (const cell of this.root.querySelectorAll(".evidence")) {
      const returned = id !== null && cell.returned?.includes(id);
      const names = id !== null && [...cell.querySelectorAll(".mention")].some((mark) => mark.mentioned === id);
      cell.classList.toggle("holds", Boolean(returned));
      cell.classList.toggle("names", names && !returned);
    }
  }

  drawFacts() {
    const { id } = this.kept;
    for (const box of this.facts) box.hidden = id === null;
    if (id === null) return;
    const one = this.known.get(id);
    const { where, from, parts } = chosenParts(id, one, this.data.evidence !== null, {
      go: (direction) => this.go(direction),
      clear: () => this.clear(),
    });
    this.where = where;
    parts.forEach((part, side) => this.facts[side].replaceChildren(...part));
    if (one?.count) this.sayFirst(from);
  }

  async sayFirst(box) {
    const { id } = this.kept;
    const { index, rev } = this.data;
    try {
      const found = await ask("first_mention", { index, id, text: this.kept.text });
      if (!found || this.kept.id !== id || this.data.rev !== rev) return;
      box.replaceChildren(...firstParts(found, () => this.act("open", { index: found.index, at: found.pointer })));
    } catch (error) {
      box.replaceChildren(`where it first stands is not known: ${error.message}`);
    }
  }

  /** Go to the next or previous mention; earlier messages are read when they are needed. */
  async go(direction) {
    const total = this.known.get(this.kept.id)?.count ?? 0;
    const unread = () => total - this.marks().length;
    if (direction < 0 && this.at <= 0 && unread() > 0 && this.first) {
      const before = this.marks().length;
      if (!(await this.loadEarlier())) return;
      const more = this.marks().length - before;
      this.at = Math.max(this.at, 0) + more;
      if (!more) return void this.go(direction);
    }
    this.at = mentionAfter(this.at, direction, this.marks().length);
    this.point();
  }

  point() {
    const marks = this.marks();
    const mark = marks[this.at];
    for (const other of marks) other.classList.toggle("current", other === mark);
    if (!mark) return;
    const total = this.known.get(this.kept.id)?.count ?? marks.length;
    const words = `${total - marks.length + this.at + 1} of ${total}`;
    if (this.where) this.where.textContent = words;
    this.reveal(mark);
    mark.focus({ preventScroll: true });
    this.said.textContent = `mention ${words}, by ${mark.dataset.by.replace("_", " ")}`;
  }

  /**
   * Scroll the messages, and never the page around them, until `node` is in sight. Rows out of sight
   * have a guessed height until they come near, so it looks again after each is drawn.
   */
  reveal(node, tries = 6) {
    if (!node?.isConnected) return;
    const inside = node.getBoundingClientRect();
    const around = this.scroller.getBoundingClientRect();
    const above = inside.top - around.top - 24;
    const below = inside.bottom - around.bottom + 24;
    const by = above < 0 || inside.height > around.height ? above : Math.max(below, 0);
    const before = this.scroller.scrollTop;
    this.scroller.scrollTop += by;
    if (this.scroller.scrollTop !== before && tries) requestAnimationFrame(() => this.reveal(node, tries - 1));
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("input")) return;
    const acts = { n: () => this.go(1), p: () => this.go(-1), Escape: () => this.clear() };
    const act = acts[event.key];
    if (!act || this.kept.id === null) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }
}
