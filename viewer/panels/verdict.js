// Why a thread stands where it stands: the sentence, what bears it out, what looks wrong.

import { appendText, element } from "./dom.js";
import { ago } from "./text.js";

const verdicts = new WeakMap();

export default function verdict({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".panel");
  const known = verdicts.get(parentElement) ?? {};
  known.open = (number) => setTriggerValue("open", number);
  verdicts.set(parentElement, known);
  if (known.rev !== data.rev) {
    known.rev = data.rev;
    root.classList.add("verdict");
    root.classList.toggle("compact", Boolean(data.compact));
    root.replaceChildren(...drawn(data, (number) => known.open(number)));
    root.dataset.rev = data.rev;
  }
  return () => verdicts.delete(parentElement);
}

function drawn(data, open) {
  const parts = [heading(data)];
  if (data.rows.length) parts.push(facts(data.rows, open));
  if (data.findings.length) {
    parts.push(element("h2", {}, data.findings.length === 1 ? "1 finding" : `${data.findings.length} findings`));
    parts.push(...data.findings.map((found) => finding(found, open)));
  }
  for (const note of data.notes) parts.push(appendText(element("p", { class: "muted text" }), note));
  return parts;
}

function heading(data) {
  const line = appendText(element("p", { class: "sentence text" }), data.sentence);
  if (data.since) {
    line.append(element("span", { class: "muted", title: data.since }, ` ${ago(new Date(data.since))}`));
  }
  return element("div", { class: `head ${data.phase}` }, line);
}

function facts(rows, open) {
  const list = element("dl", { class: "facts" });
  for (const [label, parts] of rows) {
    list.append(element("dt", {}, label), element("dd", {}, ...parts.map((part) => partOf(part, open))));
  }
  return list;
}

function partOf([kind, text, more], open) {
  if (kind === "link") {
    const link = { type: "button", class: "link", title: "Open it on the Timeline", onclick: () => open(more) };
    return appendText(element("button", link), text);
  }
  if (more !== undefined) return unfolding(text, more);
  return appendText(element("span", { class: `${kind} text` }), text);
}

/** A text that was cut, with a button that shows the whole of it in its lines, and back. */
function unfolding(cut, whole) {
  const shown = appendText(element("span", { class: "code text" }), cut);
  const toggle = () => {
    const opened = button.getAttribute("aria-expanded") === "false";
    shown.replaceChildren();
    appendText(shown, opened ? whole : cut, opened);
    shown.classList.toggle("whole", opened);
    button.setAttribute("aria-expanded", String(opened));
    button.textContent = opened ? "show less" : "show all";
  };
  const button = element(
    "button",
    { type: "button", class: "link", "aria-expanded": "false", onclick: toggle },
    "show all",
  );
  return element("span", {}, shown, button);
}

function finding(found, open) {
  const where = [found.node && `node ${found.node}`, found.channel && `field ${found.channel}`];
  const line = element("p", {}, element("b", { class: "keyword" }, found.keyword.replaceAll("_", " ")));
  appendText(line, ` ${found.message}`);
  const places = element("p", { class: "places" }, ...found.places.map((part) => partOf(part, open)));
  places.append(appendText(element("span", { class: "muted text" }), where.filter(Boolean).join(" · ")));
  places.append(...found.many.map((part) => partOf(part, open)));
  return element("section", { class: "finding" }, line, places);
}
