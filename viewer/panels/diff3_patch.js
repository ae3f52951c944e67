// The pair as a strict JSON Patch, asked for when it is looked at.

import { ask } from "./asking.js";
import { appendText, copyButton, element } from "./dom.js";
import { counted } from "./text.js";
import { readerLimit } from "./diff3_detail.js";

export class PatchView {
  constructor() {
    this.node = element("div", { class: "patch", role: "region", "aria-label": "JSON Patch", tabindex: 0, hidden: true });
    this.rev = null;
  }

  /** Show the patch of the pair that `payload` draws; asks for it once a pair. */
  async show(payload) {
    if (this.rev === payload.rev) return;
    this.rev = payload.rev;
    this.all = false;
    this.asking?.abort();
    this.asking = new AbortController();
    if (payload.index === null) {
      this.say("No patch of this pair can be made here.");
      return;
    }
    this.say("Writing the patch …");
    const { rev } = payload;
    try {
      const found = await ask("patch", { base: payload.base_index, target: payload.index }, this.asking.signal);
      if (rev === this.rev) this.draw(payload, found);
    } catch (reason) {
      if (rev === this.rev) this.say(`The patch could not be written: ${reason.message}`);
    }
  }

  close() {
    this.asking?.abort();
  }

  say(words) {
    delete this.node.dataset.operations;
    this.node.replaceChildren(appendText(element("div", { class: "empty", role: "status" }), words));
  }

  draw(payload, { patch, operations }) {
    const limit = this.all ? Infinity : readerLimit([patch]);
    const words = element("span", {}, `JSON Patch (RFC 6902), exact, in order · ${counted(operations, "operation")} · turns `);
    appendText(words, `${payload.base} into ${payload.target}`);
    const bar = element("div", { class: "detail-bar" }, words, element("span", { class: "spread" }), copyButton("copy patch", () => patch));
    const text = appendText(element("div", { class: "words text" }), patch.slice(0, limit), true);
    const more = () => {
      this.all = true;
      this.draw(payload, { patch, operations });
    };
    const rest = patch.length > limit ? element("button", { type: "button", onclick: more }, `show all ${counted(patch.length, "character")}`) : null;
    this.node.replaceChildren(bar, text, rest ?? "");
    this.node.dataset.operations = operations;
  }
}
