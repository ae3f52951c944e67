// Where a person stands in the diff: what the address asks for, and what is put into it.

import { inAddress } from "./asking.js";
import { LOOKS } from "./diff3_controls.js";
import { readFilter, writeFilter } from "./diff3_filters.js";

// What a person did to each diff, should the page build its element anew.
const left = new Map();
const KEPT = ["at", "look", "filters", "byNode", "ignored", "pathWidth", "observing", "wholeObservation"];

// Browsers refuse hundreds of changes of the address in a few seconds: a held key waits.
const QUIET = 120;

export class Standing {
  constructor(panel, key) {
    this.panel = panel;
    this.key = key;
    this.onGo = (event) => this.goneTo(event.detail ?? {});
    document.addEventListener("checkpointgo", this.onGo);
  }

  close() {
    clearTimeout(this.timer);
    document.removeEventListener("checkpointgo", this.onGo);
  }

  /**
   * Do what the address or a link asks for, `{turn, at, view, filter}`, where its turn is new; else
   * stay as a person left it. Return whether anything is to be drawn for it.
   */
  follow(wanted) {
    const turn = wanted?.turn ?? null;
    if (this.turn === turn) return false;
    const last = this.turn === undefined ? left.get(this.key) : null;
    this.turn = turn;
    const { panel } = this;
    if (last && last.turn === turn) {
      for (const name of KEPT) panel[name] = last[name];
      panel.folds.open = last.open;
      if (panel.pathWidth) panel.root.style.setProperty("--path", `${panel.pathWidth}px`);
    } else if (wanted) {
      const { filters, byNode, noise } = readFilter(wanted.filter);
      panel.filters = { ...filters, query: panel.filters.query };
      panel.byNode = byNode;
      panel.folds.open.delete("noise");
      if (noise) panel.folds.open.add("noise");
      panel.look = LOOKS.includes(wanted.view) ? wanted.view : LOOKS[0];
      panel.at = wanted.at;
    }
    return true;
  }

  /** Put what is shown into the address; a change of view or filter is pushed, and at once. */
  write(push = false) {
    const { panel } = this;
    const { open } = panel.folds;
    left.set(this.key, { turn: this.turn, open, ...Object.fromEntries(KEPT.map((name) => [name, panel[name]])) });
    const view = panel.look === LOOKS[0] ? null : panel.look;
    const filter = writeFilter({ filters: panel.filters, byNode: panel.byNode, noise: open.has("noise") });
    clearTimeout(this.timer);
    const params = { at: panel.at, view, filter };
    if (push) inAddress(params, true);
    else this.timer = setTimeout(() => inAddress(params), QUIET);
  }

  /** The address of this view, with the selected change in it. */
  get link() {
    const url = new URL(window.location.href);
    if (this.panel.at !== null) url.searchParams.set("at", this.panel.at);
    return url.href;
  }

  /** Another panel asks for a place of a checkpoint: it is selected once that one is drawn. */
  goneTo({ index, at }) {
    const { panel } = this;
    if (typeof at !== "string") return;
    panel.at = at;
    if (panel.changes?.payload.index === index) panel.goToChange(at);
  }
}
