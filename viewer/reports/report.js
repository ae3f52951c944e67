// The page of a report: it gives the panels what Streamlit gives them, and no server answers.

const told = JSON.parse(document.getElementById("told").textContent);
const panels = window.checkpointViewerPanels;
const hosts = new Map();

function hostOf(name) {
  const known = hosts.get(name);
  if (known) return known;
  const place = document.getElementById(`panel-${name}`);
  const root = place.attachShadow({ mode: "open" });
  const sheet = document.createElement("style");
  sheet.textContent = told.styles[name];
  const panel = document.createElement("div");
  panel.className = "panel";
  root.append(sheet, panel);
  hosts.set(name, root);
  return root;
}

function draw(name, data, heard = {}) {
  const say = (key, value) => heard[key]?.(value);
  panels[name]({ data, key: name, parentElement: hostOf(name), setStateValue: say, setTriggerValue: say });
}

// Nobody is there to ask: what the file does not hold is said, not waited for.
document.addEventListener("checkpointask", ({ detail: { id } }) => {
  const error = "this report does not hold it; open the source in Checkpoint Viewer";
  document.dispatchEvent(new CustomEvent("checkpointanswer", { detail: { id, error } }));
});

let turn = 0;
function showChange(index) {
  const change = told.diffs[index];
  document.getElementById("panel-diff3").hidden = !change;
  const absent = document.getElementById("absent");
  absent.hidden = Boolean(change);
  absent.textContent = `The change at @${index} is not part of this report.`;
  turn += 1;
  if (change) draw("diff3", { ...change, panel: { turn, at: null, view: null, filter: null } });
  const hash = `#@${index}`;
  if (window.location.hash !== hash) window.history.replaceState(null, "", hash);
}

function asked() {
  const index = Number(/^#@(\d+)$/.exec(window.location.hash)?.[1] ?? NaN);
  return index < told.strip.count ? index : null;
}

const start = asked() ?? told.strip.selected;
let strip = { ...told.strip, selected: start, turn: 0 };
const drawStrip = () => draw("strip", strip, { selected: showChange, action: () => document.getElementById("panel-diff3").scrollIntoView() });
const goTo = (index) => {
  strip = { ...strip, selected: index, turn: strip.turn + 1 };
  drawStrip();
  showChange(index);
};

document.addEventListener("checkpointstep", ({ detail }) => showChange(detail));
// The strip paints with the colours it was given: another scheme needs a new drawing.
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawStrip());
window.addEventListener("hashchange", () => asked() !== null && goTo(asked()));
draw("verdict", told.verdict, {
  open: (number) => {
    const place = told.places[number];
    if (place !== null) goTo(place);
  },
});
drawStrip();
showChange(start);
document.body.dataset.ready = "true";
