// The transcript beside the evidence: each message on the left, and on its right the evidence row
// that the runtime recorded for the same result. Identifiers are marked by who wrote them and
// whether the state proves them. Everything is text: nodes are made here, never parsed from data.

const LONG = 1200;

function element(tag, className, text) {
  const node = document.createElement(tag);
  node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function textWithMarks(parts, proven) {
  const body = element("div", "body");
  for (const part of parts) {
    if (!part.id) {
      body.append(part.text);
      continue;
    }
    const known = proven.includes(part.id);
    const mark = element("mark", known ? "proven" : "unproven", part.text);
    mark.title = known
      ? `${part.id}: a tool returned it in this run`
      : `${part.id}: written by ${part.by}; no tool returned it`;
    body.append(mark);
  }
  if (body.textContent.length > LONG) {
    body.classList.add("folded");
    const more = element("button", "more", `show all ${body.textContent.length} characters`);
    more.type = "button";
    more.addEventListener("click", () => {
      const folded = body.classList.toggle("folded");
      more.textContent = folded ? `show all ${body.textContent.length} characters` : "fold";
    });
    const both = element("div", "");
    both.append(body, more);
    return both;
  }
  return body;
}

function message(row, proven) {
  const cell = element("div", `message ${row.role}`);
  const head = element("div", "head");
  head.append(element("span", "role", row.role));
  if (row.name) head.append(element("span", "name", row.name));
  const raw = element("pre", "raw", row.raw);
  raw.hidden = true;
  const turn = element("button", "more", "as stored");
  turn.type = "button";
  turn.setAttribute("aria-expanded", "false");
  turn.addEventListener("click", () => {
    raw.hidden = !raw.hidden;
    turn.setAttribute("aria-expanded", String(!raw.hidden));
  });
  head.append(element("span", "pointer", row.pointer), turn);
  cell.append(head, textWithMarks(row.parts, proven));
  for (const other of row.others) {
    const line = element("div", "call");
    line.append(element("b", "", other.kind), " ", other.text);
    cell.append(line);
  }
  for (const call of row.calls) {
    const line = element("div", "call");
    line.append(element("b", "", call.name), " ", textWithMarks(call.parts, proven));
    cell.append(line);
  }
  cell.append(raw);
  return cell;
}

function evidence(row) {
  if (!row) return element("div", "evidence none", "");
  const cell = element("div", `evidence ${row.ok ? "ok" : "refused"}`);
  const head = element("div", "head");
  head.append(
    element("span", "role", row.ok ? "✓ ok" : "✕ refused"),
    element("span", "name", row.tool),
    element("span", "pointer", row.pointer),
  );
  cell.append(head);
  for (const [name, text] of row.fields) {
    const line = element("div", "field");
    line.append(element("span", "key", name), element("span", "value", text));
    cell.append(line);
  }
  return cell;
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".panel");
  const shown = JSON.stringify(data);
  if (root.dataset.shown === shown) return;
  root.dataset.shown = shown;
  root.style.maxHeight = `${data.height}px`;
  const left = element("div", "column", data.titles[0]);
  const right = element("div", "column", data.titles[1]);
  const cells = [left, right];
  for (const row of data.rows) cells.push(message(row, data.proven), evidence(row.evidence));
  root.replaceChildren(...cells);
  root.dataset.rev = data.rows.length;
}
