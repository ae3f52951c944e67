// What each key does in the strip, and when a key is somebody else's.

import { SEARCH, belongsElsewhere } from "./dom.js";
import { FINDING, VIOLATION } from "./strip_look.js";

/** Do in `panel` what the key press `event` asks for; leaves presses alone that are not its own. */
export function pressed(panel, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || belongsElsewhere(event)) return;
  if (dialogOpen()) return;
  const back = event.shiftKey ? -1 : 1;
  const far = event.shiftKey ? 10 : 1;
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const actions = {
    ArrowRight: () => panel.step(far),
    j: () => panel.step(far),
    ArrowLeft: () => panel.step(-far),
    k: () => panel.step(-far),
    Home: () => panel.toEnd(-1),
    End: () => panel.toEnd(1),
    v: () => panel.toNext("mark", VIOLATION, back),
    f: () => panel.toNext("mark", FINDING, back),
    b: () => panel.setBase(panel.base === panel.position ? null : panel.position),
    d: () => panel.report("action", "diff"),
    t: () => panel.setClock(!panel.shown.byTime),
    s: () => panel.toggleNested(),
    "/": () => window.dispatchEvent(new CustomEvent(SEARCH)),
    "?": () => panel.help.showModal(),
  };
  if (!Object.hasOwn(actions, name)) return;
  event.preventDefault();
  event.stopPropagation();
  actions[name]();
}

/** Whether a dialog is open anywhere, in the shadow roots of the panels too. */
function dialogOpen() {
  if (document.querySelector("[role=dialog], dialog[open]")) return true;
  for (const host of document.querySelectorAll("[data-testid=stBidiComponentIsolated], [data-testid=stBidiComponentIsolated] *")) {
    if (host.shadowRoot?.querySelector("dialog:modal")) return true;
  }
  return false;
}
