// One search in a state tree: what is looked for, what was found, what there is to say about it.

import { counted } from "./text.js";
import { BUDGET, PatternFinder, PatternSearch, TextFinder, expressionOf, plainHits } from "./tree_search.js";

export class Hunt {
  constructor() {
    this.query = { text: "", cased: false, regex: false };
    this.forget();
  }

  forget() {
    this.underway?.close();
    this.underway = null;
    this.finder = null;
    /** Rows in order; null where nothing is looked for. */
    this.hits = null;
    this.note = "";
    this.wrong = false;
  }

  /** Look through `tree`; `done` is called when a regular expression has been matched throughout. */
  run(tree, done) {
    this.forget();
    const { text, cased, regex } = this.query;
    if (!text) return;
    if (!regex) {
      this.finder = new TextFinder(text, cased);
      this.hits = plainHits(tree, text, cased);
      return;
    }
    const { expression, error } = expressionOf(text, cased);
    if (error) {
      this.note = `no regular expression: ${error}`;
      this.wrong = true;
      return;
    }
    // Until it is done the whole tree stands: there is always something to look at.
    const finder = new PatternFinder();
    const found = [];
    this.note = "searching …";
    const some = (hits) => {
      finder.take(hits);
      for (const [row] of hits) found.push(row);
    };
    this.underway = new PatternSearch(tree, expression, {
      some,
      done: ({ stopped, rows }) => {
        this.underway = null;
        this.finder = finder;
        this.hits = found;
        this.wrong = stopped;
        this.note = stopped ? `stopped after ${BUDGET / 1_000} s: ${counted(rows, "row")} of ${tree.length.toLocaleString("en")} searched` : "";
        done();
      },
    });
  }
}
