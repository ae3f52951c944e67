// The search over all steps: one line on every page about a thread, its hits in a list below it.

import { ask, goTo } from "./asking.js";
import { afterQuiet, belongsElsewhere, element } from "./dom.js";
import { chosenBy, hitOf, howFar } from "./find_model.js";
import { HIT_HEIGHT, hitRow } from "./find_rows.js";
import { Viewport } from "./viewport.js";

const QUIET = 250;
const SHOWS_PLACES = ["timeline", "diff"];
const lines = new WeakMap();
// What was typed into each line last, should the page build its element anew.
const typed = new Map();

export default function find({ data, key, parentElement, setTriggerValue }) {
  let line = lines.get(parentElement);
  if (!line) {
    line = new FindLine(parentElement.querySelector(".panel"), typed.get(key));
    lines.set(parentElement, line);
  }
  line.open = (hit, where) => setTriggerValue("open", { namespace: hit.namespace, ...where });
  line.update(data, key);
  return () => {
    line.close();
    lines.delete(parentElement);
  };
}

class FindLine {
  constructor(root, before) {
    this.root = root;
    this.root.classList.add("find");
    this.state = before ?? { text: "", case: false, regex: false, whole: false };
    this.hits = [];
    this.active = -1;
    this.build();
    this.soon = afterQuiet(() => this.search(), QUIET);
    this.onKey = (event) => this.summon(event);
    this.onPress = (event) => {
      if (!event.composedPath().includes(this.root)) this.show(false);
    };
    document.addEventListener("keydown", this.onKey);
    document.addEventListener("pointerdown", this.onPress);
  }

  close() {
    this.taken?.abort();
    document.removeEventListener("keydown", this.onKey);
    document.removeEventListener("pointerdown", this.onPress);
    this.view.close();
  }

  build() {
    this.input = element("input", {
      type: "search",
      role: "combobox",
      "aria-expanded": "false",
      "aria-autocomplete": "list",
      "aria-controls": "hits",
      "aria-label": "Search all steps",
      placeholder: "Search all steps  (g)",
      title: "Keys and values of every checkpoint. /usage/**: 899 looks below one place only.",
      autocomplete: "off",
      spellcheck: "false",
      maxlength: 1000,
      oninput: () => this.type(),
      onkeydown: (event) => this.press(event),
      onfocus: () => this.state.text && this.show(true),
    });
    this.switches = {
      case: this.toggle("case", "Aa", "Capital and small letters differ"),
      regex: this.toggle("regex", ".*", "Regular expression (without look-around and back references)"),
      whole: this.toggle("whole", "whole thread", "Search the other chains of the thread too: subgraphs, parents"),
    };
    this.told = element("span", { class: "count told", role: "status" });
    this.halt = element("button", { type: "button", onclick: () => this.pause() }, "stop");
    this.view = new Viewport({ id: "hits", role: "listbox", "aria-label": "Where it stands", tabindex: -1 }, HIT_HEIGHT, (place) =>
      hitRow(this.hits[place], place, this),
    );
    this.view.node.addEventListener("pointerdown", (event) => event.preventDefault());
    const keys = element("div", { class: "keys muted" });
    const hints = [["↑↓", "choose"], ["↵", "first"], ["⇧↵", "last"], ["Esc", "close"], ["ctrl ↵", "first, on the Timeline"]];
    for (const [key, does] of hints) {
      this.toTimeline = element("span", { class: "does" }, element("kbd", {}, key), ` ${does}`);
      keys.append(this.toTimeline);
    }
    this.list = element("div", { class: "list", hidden: true }, this.view.node, keys);
    this.root.replaceChildren(
      element("div", { class: "line", role: "search" }, this.input, ...Object.values(this.switches), this.told, this.halt),
      this.list,
    );
  }

  toggle(name, label, title) {
    const press = () => {
      this.state[name] = !this.state[name];
      this.label();
      this.search();
      this.input.focus();
    };
    return element("button", { type: "button", class: "switch", title, "aria-label": title, onclick: press }, label);
  }

  update(data, key) {
    typed.set(key, this.state);
    const before = this.data ?? data;
    const other = before.thread !== data.thread;
    const moved = before.namespace !== data.namespace;
    const stale = other || (moved ? !this.state.whole : before.count !== data.count);
    this.data = data;
    if (other) this.state.text = "";
    if (this.input.value !== this.state.text && this.root.getRootNode().activeElement !== this.input) {
      this.input.value = this.state.text;
    }
    if (data.spaces < 2) this.state.whole = false;
    if (stale) this.forget();
    this.toTimeline.hidden = this.showsPlaces;
    this.label();
    // A chain that grew while the list is open is searched again; a closed one when it is opened.
    if (stale && !this.list.hidden) this.search();
    else if (before.rev !== data.rev) this.draw();
    this.root.dataset.rev = data.rev;
  }

  label() {
    for (const [name, button] of Object.entries(this.switches)) {
      button.setAttribute("aria-pressed", this.state[name] ? "true" : "false");
    }
    this.switches.whole.hidden = (this.data?.spaces ?? 1) < 2;
    const { answer, error } = this;
    const busy = this.searching && !this.paused;
    this.halt.hidden = !(busy && answer) && !this.paused;
    this.halt.textContent = this.paused ? "go on" : "stop";
    const known = answer || this.searching;
    this.told.textContent = error ?? (this.state.text && known ? howFar(answer, this.paused) : "");
    this.told.title = this.told.textContent;
    this.told.classList.toggle("wrong-text", Boolean(error));
    this.input.setAttribute("aria-invalid", error ? "true" : "false");
    this.root.dataset.found = answer?.done ? answer.found : "";
  }

  /** `g` pressed anywhere but where it is text. */
  summon(event) {
    if (event.key !== "g" || event.ctrlKey || event.metaKey || event.altKey || belongsElsewhere(event)) return;
    if (document.querySelector("[role=dialog]")) return;
    event.preventDefault();
    this.input.focus();
    this.input.select();
  }

  type() {
    this.state.text = this.input.value;
    this.forget();
    this.label();
    if (this.state.text) this.soon();
    else this.show(false);
  }

  forget() {
    this.taken?.abort();
    Object.assign(this, { taken: null, answer: null, error: null, searching: false, paused: false, hits: [], active: -1, eager: null });
  }

  /** Ask until everything is searched; each answer tells how far it is. */
  async search() {
    this.forget();
    if (!this.state.text) return;
    this.searching = true;
    this.label();
    this.show(true);
    await this.goOn();
  }

  async goOn() {
    const taken = new AbortController();
    this.taken = taken;
    this.paused = false;
    try {
      do {
        const answer = await ask("search", { ...this.state }, taken.signal);
        if (taken.signal.aborted) return;
        this.take(answer);
      } while (!this.answer.done);
    } catch (error) {
      if (taken.signal.aborted) return;
      this.error = error.message;
    }
    this.searching = false;
    this.label();
    this.draw();
  }

  take(answer) {
    this.answer = answer;
    const chosen = this.active >= 0 ? JSON.stringify(this.hits[this.active]) : null;
    this.hits = answer.rows.map(hitOf);
    // What is chosen stays chosen while more come in before it.
    if (chosen !== null) this.active = this.hits.findIndex((hit) => JSON.stringify(hit) === chosen);
    if (this.active < 0 && this.hits.length) this.active = 0;
    this.label();
    this.draw();
    if (this.eager && this.hits.length) this.go(this.hits[0], ...this.eager);
  }

  pause() {
    if (this.paused) this.goOn();
    else {
      this.taken?.abort();
      this.paused = true;
    }
    this.label();
    this.input.focus();
  }

  press(event) {
    if (event.isComposing) return;
    const next = chosenBy(event.key, this.list.hidden ? this.active - 1 : this.active, this.hits.length, this.view.rowsInSight);
    if (next !== null) {
      event.preventDefault();
      this.show(true);
      this.choose(next);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (this.list.hidden) this.show(true);
      else if (this.hits[this.active]) this.go(this.hits[this.active], event.shiftKey, event.ctrlKey);
      // Pressed before the first hit is there: it is followed when it comes.
      else this.eager = [event.shiftKey, event.ctrlKey];
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.eager = null;
      this.show(false);
      this.input.blur();
    }
  }

  choose(place) {
    this.active = place;
    this.view.reveal(place);
    this.draw();
  }

  /** Go to the first checkpoint of a hit, or to its last. */
  go(hit, toLast = false, elsewhere = false) {
    this.eager = null;
    const where = toLast ? { index: hit.last, pointer: hit.lastPointer } : { index: hit.first, pointer: hit.pointer };
    this.active = this.hits.indexOf(hit);
    this.show(false);
    this.input.blur();
    if (elsewhere || hit.namespace !== this.data.namespace) this.open(hit, where);
    else goTo(where.index, where.pointer);
  }

  /** Whether this page shows the place of a hit, or only steps to its checkpoint. */
  get showsPlaces() {
    return SHOWS_PLACES.includes(this.data.page);
  }

  show(on) {
    const open = on && Boolean(this.state.text);
    this.list.hidden = !open;
    this.input.setAttribute("aria-expanded", open ? "true" : "false");
    if (open && !this.answer && !this.searching && !this.error) this.search();
    if (open) this.draw();
  }

  nothing() {
    const place = this.state.text.startsWith("/") && !this.state.regex;
    const hint = place ? ` A value below a place is found by PLACE: VALUE, as in ${this.state.text}: text` : "";
    return `No key and no value of any checkpoint holds this.${hint}`;
  }

  draw() {
    const none = this.error ?? (this.answer?.done ? this.nothing() : "searching …");
    const rows = Math.max(this.hits.length, 2);
    this.view.node.style.height = `min(${rows * HIT_HEIGHT}px, 52vh)`;
    this.view.show(this.hits.length, none);
    if (this.active >= 0) this.input.setAttribute("aria-activedescendant", `hit-${this.active}`);
    else this.input.removeAttribute("aria-activedescendant");
  }
}
