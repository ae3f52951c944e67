// A run walked in a few steps with large type: the transcript on the left, the state on the right,
// and at the end what each of the two would make a check believe. A modal dialog, so that nothing
// else is in sight or takes a key. Every step is here already: a key press draws at once.

import { inAddress } from "./asking.js";
import { appendText, element } from "./dom.js";

const presenters = new WeakMap();

export default function presenter({ data, parentElement, setTriggerValue }) {
  let panel = presenters.get(parentElement);
  if (!panel) {
    panel = new Presenter(parentElement.querySelector(".panel"));
    presenters.set(parentElement, panel);
  }
  panel.act = setTriggerValue;
  panel.update(data);
  return () => {
    panel.close();
    presenters.delete(parentElement);
  };
}

/** The number of the step that the pointer `at` names among `count`; 0 where it names none. */
export function stepOf(at, count) {
  const found = /^\/steps\/(\d{1,4})$/.exec(at ?? "");
  return found ? Math.min(Number(found[1]), count - 1) : 0;
}

/** Where a key leads from step `at` of `count`; null where the key means nothing here. */
export function stepAfterKey(key, at, count) {
  const to = { ArrowRight: at + 1, " ": at + 1, PageDown: at + 1, j: at + 1, ArrowLeft: at - 1, PageUp: at - 1, k: at - 1, Home: 0, End: count - 1 }[key];
  return to === undefined ? null : Math.max(0, Math.min(to, count - 1));
}

class Presenter {
  constructor(root) {
    this.root = root;
    root.classList.add("presenter");
    this.step = 0;
    this.dialog = element("dialog", { class: "stage", role: "dialog", "aria-modal": "true", "aria-labelledby": "stage-title" });
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.leave();
    });
    this.dialog.addEventListener("keydown", (event) => this.onKey(event));
    root.replaceChildren(this.dialog);
  }

  update(data) {
    if (data.panel.turn !== this.turn) {
      this.turn = data.panel.turn;
      this.step = stepOf(data.panel.at, data.steps.length);
      this.drawn = null;
    }
    const rev = `${data.rev} ${this.turn}`;
    if (this.drawn !== rev) {
      this.drawn = rev;
      this.data = data;
      this.step = Math.min(this.step, data.steps.length - 1);
      this.draw();
    }
    if (!this.dialog.open) this.dialog.showModal();
    this.dialog.querySelector(".next")?.focus();
    this.root.dataset.rev = data.rev;
  }

  close() {
    if (this.dialog.open) this.dialog.close();
  }

  leave() {
    this.act("leave", { index: this.data.steps[this.step].index ?? null });
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onButton = event.key === " " && event.composedPath()[0].matches?.("button:not(.next)");
    const to = onButton ? null : stepAfterKey(event.key, this.step, this.data.steps.length);
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(to);
  }

  go(to) {
    this.step = Math.max(0, Math.min(to, this.data.steps.length - 1));
    inAddress({ at: `/steps/${this.step}` });
    this.draw();
  }

  draw() {
    const { steps, title } = this.data;
    const step = steps[this.step];
    const names = element("p", { class: "run" });
    appendText(names, title).append(element("span", { class: "muted" }, ` · ${step.checkpoint}`));
    const leave = element("button", { type: "button", onclick: () => this.leave() }, "leave ", element("kbd", {}, "Esc"));
    const heading = appendText(element("h2", { id: "stage-title" }), step.title);
    const body = step.missing ? missing(step.missing) : step.verdict ? verdictBody(step) : excerpts(step);
    this.dialog.replaceChildren(
      element("header", {}, names, leave),
      heading,
      appendText(element("p", { class: "narration" }), step.words),
      body,
      step.tally ? tallyLine(step.tally) : element("div", { class: "tally" }),
      this.controls(steps),
    );
    this.dialog.classList.toggle("proven", (step.tally?.returned ?? 0) > 0);
    this.root.dataset.step = this.step;
    this.dialog.querySelector(".next").focus();
  }

  controls(steps) {
    const last = steps.length - 1;
    const move = (label, key, to, name, off) =>
      element("button", { type: "button", class: name, "aria-disabled": off ? "true" : null, onclick: () => this.go(to) }, `${label} `, element("kbd", {}, key));
    const dots = element("ol", { class: "dots", "aria-label": "Parts" });
    steps.forEach((step, n) => {
      const here = n === this.step;
      const dot = element("button", { type: "button", "aria-current": here ? "step" : null, title: step.title, onclick: () => this.go(n) });
      dots.append(element("li", {}, appendText(dot, String(n + 1))));
    });
    const where = element("span", { class: "where", "aria-live": "polite" }, `part ${this.step + 1} of ${steps.length}`);
    return element("footer", {}, where, steps.length <= 12 ? dots : null, element("span", { class: "moves" },
      move("previous", "←", this.step - 1, "previous", this.step === 0), move("next", "→", this.step + 1, "next", this.step === last)));
  }
}

function missing(words) {
  return appendText(element("div", { class: "sides empty" }), `This part cannot be shown: ${words}`);
}

function appendMarks(parent, pieces) {
  for (const piece of pieces) {
    if (Array.isArray(piece)) parent.append(appendText(element("mark", { class: "identifier" }), piece[0]));
    else appendText(parent, piece, true);
  }
  return parent;
}

function callLine({ name, args }) {
  const line = element("div", { class: "called" }, element("span", { class: "muted" }, "calls "));
  line.append(appendMarks(element("b", { class: "mono" }), name));
  for (const [key, value] of args) {
    const pair = element("div", { class: "pair-of" });
    pair.append(appendMarks(element("span", { class: "muted mono" }), key), " ", appendMarks(element("span", { class: "mono" }), value));
    line.append(pair);
  }
  return line;
}

function excerpts(step) {
  const left = element("section", { class: "side", "aria-label": "Transcript" }, element("h3", {}, "Transcript"));
  for (const message of step.left) {
    const box = element("div", { class: `said by-${message.by}` }, appendText(element("p", { class: "who" }), message.who));
    for (const line of message.lines) {
      if (line.call) box.append(callLine(line.call));
      else {
        const text = element("p");
        if (line.key) text.append(appendText(element("span", { class: "muted mono" }), line.key), " ");
        box.append(appendMarks(text, line.text));
      }
    }
    left.append(box);
  }
  if (!step.left.length) left.append(element("p", { class: "muted" }, "No new message at this checkpoint."));
  const right = element("section", { class: "side", "aria-label": "State" }, element("h3", {}, "State"));
  const list = element("dl");
  for (const { name, value, empty } of step.right) {
    const shown = appendMarks(element("dd", { class: empty ? "mono nothing" : "mono" }), value);
    list.append(appendText(element("dt", { class: "mono" }), name), shown);
  }
  right.append(step.right.length ? list : element("p", { class: "muted" }, "Nothing is named to be shown here."));
  return element("div", { class: "sides" }, left, right);
}

const BELIEVED = { true: ["✓", "would let it pass", "It stands in the messages, and that is all it looks at."], false: ["✕", "refuses it", "It stands nowhere in the messages."], null: ["?", "cannot judge it", "No action names an identifier."] };

function verdictBody({ verdict }) {
  if (verdict.missing) return missing(`there is no proposal ${verdict.name} in what_if/`);
  const proposal = element("div", { class: "proposal" }, element("h3", {}, "Proposed"), ...verdict.calls.map(callLine));
  const [sign, words, why] = BELIEVED[String(verdict.believed)];
  const trap = verdict.believed === true && verdict.proved === false;
  const left = element("section", { class: `side verdict-of ${trap ? "trap" : verdict.believed ? "passes" : "refuses"}`, "aria-label": "A check on the transcript" },
    element("h3", {}, "A check on the transcript"), element("p", { class: "big" }, `${sign} ${words}`), element("p", {}, why));
  const proved = { true: ["✓", "lets it pass"], false: ["✕", "refuses it"], null: ["?", "cannot judge it"] }[String(verdict.proved)];
  const right = element("section", { class: `side verdict-of ${verdict.proved ? "passes" : "refuses"}`, "aria-label": "The state" },
    element("h3", {}, "The state"), element("p", { class: "big" }, proved.join(" ")), appendText(element("p"), verdict.reason || "A tool returned every identifier."));
  return element("div", { class: "judged" }, proposal, element("div", { class: "sides" }, left, right));
}

function tallyLine({ id, count, by, rows, returned }) {
  const writers = by.map(([who, times]) => `${who} ${times}`).join(", ");
  const said = element("span", {}, appendText(element("b", { class: "mono" }), id), ` ${count} mention${count === 1 ? "" : "s"}${writers ? `: ${writers}` : ""}`);
  const proof = `${returned} of ${rows} row${rows === 1 ? "" : "s"} of evidence returned it`;
  return element("div", { class: "tally" }, said, element("b", { class: returned ? "good" : "bad" }, `${returned ? "✓" : "✕"} ${proof}`));
}
