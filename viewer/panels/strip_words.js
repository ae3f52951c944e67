// What the strip says in words: where the reader stands, the tip, the legend, the help.

import { appendText, element } from "./dom.js";
import { drawMark, phaseColor, phaseFill } from "./strip_look.js";
import { markTally, tally } from "./strip_model.js";
import { bytes, counted } from "./text.js";

const HELP = [
  ["← →  or  k j", "previous, next checkpoint; k j also from the state, ← → also from the diff"],
  ["shift + ← →", "ten checkpoints"],
  ["Home  End", "first, last checkpoint"],
  ["v  V", "next, previous violation"],
  ["f  F", "next, previous finding"],
  ["b", "compare with this checkpoint from now on (again: with the parent)"],
  ["d", "diff with the base"],
  ["o  u", "into the subgraph of a task, up to the chain that ran it"],
  ["/", "search in the state or the diff"],
  ["n  p", "in the state or the diff: next, previous change or hit"],
  ["Esc", "leave the search or the list, so that the arrows step again"],
  ["?", "this help"],
];

/** The dialog that lists the keys. */
export function helpDialog() {
  const rows = HELP.map(([keys, what]) =>
    element("tr", {}, element("th", { scope: "row" }, element("kbd", {}, keys)), element("td", {}, what)),
  );
  const dialog = element("dialog", { "aria-label": "Keys", class: "help" });
  dialog.append(
    element("h2", {}, "Keys"),
    element("table", {}, element("tbody", {}, ...rows)),
    element("button", { type: "button", onclick: () => dialog.close() }, "Close"),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}

/** Step, status, node and marks of one checkpoint. */
export function sentence(chain, index) {
  const parts = [];
  if (chain.step[index] !== null) parts.push(`step ${chain.step[index]}`);
  const phase = chain.phases[chain.phase[index]];
  const status = chain.status[index];
  if (status && status !== phase) parts.push(phase === "unknown" ? status : `${status} (${phase})`);
  else if (phase !== "unknown") parts.push(phase);
  if (chain.node[index]) parts.push(chain.node[index]);
  chain.marks.forEach((name, bit) => {
    if (!(chain.mark[index] & (1 << bit)) || (name === "interrupt" && phase === "waiting")) return;
    parts.push(name === "violation" ? counted(chain.broken[index] ?? 1, "violation") : name);
  });
  if (index === chain.head) parts.push("live head");
  return parts.join(" · ");
}

/** The parts of the line in the toolbar. */
export function whereParts(chain, index) {
  const details = [clock(chain.time[index]), chain.size[index] ? bytes(chain.size[index]) : ""];
  const more = details.filter(Boolean).join(" · ");
  return [
    element("b", {}, `@${index}`),
    element("span", { class: "muted" }, ` / @${chain.count - 1} · `),
    appendText(element("span"), sentence(chain, index)),
    more ? element("span", { class: "muted" }, ` · ${more}`) : "",
  ];
}

function clock(time) {
  if (time === null) return "";
  return new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}

/** The lines of the tip of one checkpoint. */
export function tipLines(chain, index) {
  const lines = [`@${index} · ${sentence(chain, index)}`];
  const time = chain.time[index];
  if (time !== null) lines.push(`${clock(time)} · ${new Date(time).toISOString()}`);
  const before = chain.parent[index];
  const grown = before === null ? 0 : chain.size[index] - chain.size[before];
  const growth = grown ? ` (${grown > 0 ? "+" : "−"}${bytes(Math.abs(grown))})` : "";
  if (chain.size[index]) lines.push(`state ${bytes(chain.size[index])}${growth}`);
  if (chain.ids[index]) lines.push(chain.ids[index]);
  const changed = chain.changed(index);
  if (changed.length) lines.push(`changed: ${changed.join(", ")}`);
  return lines.map((line) => appendText(element("div"), line));
}

/** Phases and marks that occur, with counts; each goes to the next such checkpoint. */
export function legendEntries(chain, colors, goTo) {
  const entries = [];
  tally(chain.phase, chain.phases.length).forEach((count, phase) => {
    if (!count) return;
    const sample = swatch((pen) => {
      pen.fillStyle = phaseFill(pen, colors, phase);
      pen.fillRect(0, 1, 14, 12);
      pen.strokeStyle = phaseColor(colors, phase);
      pen.strokeRect(0.5, 1.5, 13, 11);
    });
    entries.push(legendEntry(sample, chain.phases[phase], count, () => goTo.phase(phase)));
  });
  markTally(chain.mark, chain.marks.length).forEach((count, bit) => {
    if (!count) return;
    const sample = swatch((pen) => drawMark(pen, colors, 1 << bit, 7, 7, 5));
    entries.push(legendEntry(sample, chain.marks[bit], count, () => goTo.mark(1 << bit)));
  });
  return entries;
}

function legendEntry(sample, word, count, onclick) {
  const title = `Go to the next: ${word}`;
  const number = element("b", {}, count.toLocaleString("en"));
  return element("button", { type: "button", title, onclick }, sample, `${word} `, number);
}

function swatch(drawing) {
  const ratio = window.devicePixelRatio || 1;
  const side = Math.round(14 * ratio);
  const canvas = element("canvas", { width: side, height: side, "aria-hidden": "true" });
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawing(pen);
  return canvas;
}
