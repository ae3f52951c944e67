// What of a state tree is in sight: search, filters, and the way from hit to hit.

import { inAddress } from "./asking.js";
import { filterText, inPlane, passing, switched } from "./tree_filter.js";
import { TreeOpen } from "./tree_open.js";

/** What a tree panel does to find things; the panel has `hunt`, `meanings`, `toolbar`. */
export class TreeSought extends TreeOpen {
  get changes() {
    return this.tree.changesIn(this.memory.unfolded);
  }

  get query() {
    return this.hunt.query;
  }

  get finder() {
    return this.hunt.finder;
  }

  layout() {
    const { tree, hunt, memory } = this;
    this.passed = passing(this.meanings, memory.words, this.changes);
    this.kept = this.passed.kept;
    this.stopsHere = this.passed.stops ?? this.changes;
    let outside = 0;
    if (hunt.hits) {
      const within = this.kept ? hunt.hits.filter((row) => this.passes(row)) : hunt.hits;
      outside = hunt.hits.length - within.length;
      this.stopsHere = within;
      this.kept = tree.withAncestors(within);
    }
    this.rows = tree.rows(this.open, this.kept, memory.unfolded);
    this.view.show(this.rows.length, this.emptyWords(outside));
    this.toolbar.label(this.changes.length, tree, { active: this.passed.active, words: memory.words, unfolded: memory.unfolded });
    this.toolbar.labelSearch(hunt.query, hunt.note, hunt.wrong);
    this.outside = outside;
    this.pinsDrawn();
  }

  emptyWords(outside) {
    if (this.hunt.hits && this.hunt.wrong) return "The search was stopped before it found anything.";
    const named = filterText(this.passed.active);
    if (outside) return `All hits lie outside the filter (${named}). “clear filters” shows them.`;
    if (this.query.text) return "Nothing holds this text. Esc clears the search.";
    return named ? `No place passes the filter (${named}). “clear filters” shows everything.` : "Nothing to show.";
  }

  /** Whether `row` is kept by the filters, itself or with something above it. */
  passes(row) {
    const { parent } = this.tree.columns;
    const { kept } = this.passed;
    for (let at = row; at >= 0; at = parent[at]) if (kept[at] === 1) return true;
    return false;
  }

  search(part) {
    Object.assign(this.hunt.query, part);
    this.hunt.run(this.tree, () => this.found(true));
    this.found(true);
  }

  found(goes) {
    this.layout();
    if (goes && this.hunt.hits && this.stopsHere.length) this.select(this.stopsHere[0], true);
    else this.refresh();
  }

  filter(word) {
    this.refilter(switched(this.memory.words, word));
  }

  filterPlane(name) {
    this.refilter(inPlane(this.memory.words, name));
  }

  clearFilters() {
    this.refilter(new Set());
  }

  refilter(words) {
    this.memory.words = words;
    this.layout();
    this.countSoon();
    if (this.kept && this.stopsHere.length && this.placeOf(this.selected) < 0) this.select(this.stopsHere[0], true);
    else this.view.reveal(Math.max(0, this.placeOf(this.selected)));
    this.refresh();
    inAddress({ filter: filterText(words) }, true);
  }

  jump(direction) {
    const stops = this.stopsHere;
    if (!stops.length) return;
    const after = stops.findIndex((row) => row > this.selected);
    const before = stops.findLastIndex((row) => row < this.selected);
    if (direction > 0) this.select(stops[after < 0 ? 0 : after], true);
    else this.select(stops[before < 0 ? stops.length - 1 : before], true);
  }

  unfold() {
    this.memory.unfolded = !this.memory.unfolded;
    this.layout();
    if (this.placeOf(this.selected) < 0) this.select(0);
    else this.refresh();
  }
}
