// What the strip says in words: where the reader stands, the tip.

import { appendText, element } from "./dom.js";
import { duration } from "./strip_axis.js";
import { bytes, counted } from "./text.js";

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
  const told = sentence(chain, index);
  const details = [clock(chain.time[index]), chain.size[index] ? `${bytes(chain.size[index])} stored` : ""];
  const more = details.filter(Boolean).map((detail) => ` · ${detail}`).join("");
  return [
    element("b", {}, `@${index}`),
    element("span", { class: "muted" }, ` / @${chain.count - 1}${told ? " · " : ""}`),
    appendText(element("span"), told),
    more ? element("span", { class: "muted" }, more) : "",
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
  const before = chain.parent[index];
  if (time !== null) {
    const since = before === null || chain.time[before] === null ? null : time - chain.time[before];
    const after = since === null || since < 0 ? "" : ` · ${duration(since)} after its parent`;
    lines.push(`${clock(time)} here · ${new Date(time).toISOString()}${after}`);
  }
  const grown = before === null ? 0 : chain.size[index] - chain.size[before];
  const growth = grown ? ` (${grown > 0 ? "+" : "−"}${bytes(Math.abs(grown))})` : "";
  if (chain.size[index]) lines.push(`stored ${bytes(chain.size[index])}${growth}`);
  if (chain.ids[index]) lines.push(chain.ids[index]);
  if (chain.nests[index]) lines.push(`${counted(chain.nests[index], "subgraph")} ran after it`);
  const changed = chain.changed(index);
  if (changed.length) lines.push(`changed: ${changed.join(", ")}`);
  return lines.map((line) => appendText(element("div"), line));
}

/** The lines of the tip of a folded idle gap. */
export function gapLines(chain, { index, ms }) {
  const between = [chain.time[index - 1], chain.time[index]].map(clock).filter(Boolean).join(" – ");
  const lines = [`nothing was saved for ${duration(ms)}, before @${index}`, between, "click: do not fold it"];
  return lines.filter(Boolean).map((line) => element("div", {}, line));
}
