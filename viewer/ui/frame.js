// The line above every page, and the one owner of the address bar.
//
// Python says which address belongs to the current selection. A change of source, thread, tab or
// page is pushed. What the strip and the panels hold (the step, the place, the view, the filter)
// they ask for with the event `checkpointaddress`: steps and places replace the entry, so that Back
// never walks step by step; views and filters are pushed.
// Back itself is reported to Python, and nothing is written until Python has answered: otherwise
// the rerun that Streamlit starts on its own would push the new address over the old one.

// Longer than the strip waits until it tells a step.
const UNTOLD = 1_500;
const RETELL = 1_500;
const instances = new WeakMap();
const pending = (window.checkpointViewerAddress ??= { search: null });

function sameParams(a, b, ignored) {
  const keys = new Set([...a.keys(), ...b.keys()]);
  return [...keys].every((key) => ignored.includes(key) || a.get(key) === b.get(key));
}

const page = () => window.location.pathname.split("/").pop();

function writeAddress(data) {
  // After Back to another page, this page may be drawn once more under that page's address.
  if (page() !== data.page) return;
  if (pending.search !== null) {
    if (data.answered !== pending.search) return;
    pending.search = null;
  }
  const wanted = new URLSearchParams(data.params);
  const now = new URLSearchParams(window.location.search);
  // The strip and the panel are ahead of Python in what they hold.
  if (sameParams(wanted, now, data.held)) return;
  const url = addressOf(wanted);
  leaveBox();
  if (window.location.search === "") {
    window.history.replaceState(window.history.state, "", url);
  } else {
    window.history.pushState({}, "", url);
  }
}

/** Report Back or Forward; again while nobody has answered: Streamlit drops what it is told mid-run. */
function tellBack(own, again = false) {
  if (pending.search === null || page() !== own.page) return;
  const app = document.querySelector("[data-testid=stApp]");
  if (!again || app?.dataset.testScriptState !== "running") own.report("navigated", pending.search);
  own.retold = setTimeout(() => tellBack(own, true), RETELL);
}

/** A box in the sidebar keeps the keys after its choice is made, or given up: give them back. */
function leaveBox() {
  const box = document.activeElement;
  const idle = box?.getAttribute("aria-expanded") !== "true";
  if (idle && box?.closest("[data-testid=stSidebar]") && box.matches("input, [role=combobox]")) box.blur();
}

function addressOf(params) {
  const query = params.toString();
  return query ? `${window.location.pathname}?${query}` : window.location.pathname;
}

/** Put what a strip or panel holds into the address; null takes a parameter out. */
function holdInAddress(data, { params, push = false }) {
  if (page() !== data.page || pending.search !== null) return;
  const now = new URLSearchParams(window.location.search);
  const wanted = new URLSearchParams(now);
  for (const [name, value] of Object.entries(params)) {
    if (!data.held.includes(name)) continue;
    if (value === null) wanted.delete(name);
    else wanted.set(name, value);
  }
  if (sameParams(wanted, now, [])) return;
  if (push) window.history.pushState({}, "", addressOf(wanted));
  else window.history.replaceState(window.history.state, "", addressOf(wanted));
}

/** Dim the page while the strip stands at another checkpoint than the one drawn below it. */
function markStale(own) {
  if (own.stepped === null || own.stepped === own.at) {
    own.stepped = null;
    const app = document.querySelector("[data-testid=stApp]");
    if (app?.dataset.testScriptState === "running") {
      clearTimeout(own.timer);
      own.timer = setTimeout(() => markStale(own), 40);
    } else {
      delete document.body.dataset.stepping;
    }
  } else {
    document.body.dataset.stepping = own.stepped;
    clearTimeout(own.timer);
    own.timer = setTimeout(() => remind(own), UNTOLD);
  }
}

/** Streamlit drops what the strip tells while the page is being drawn: let it tell again. */
function remind(own) {
  const app = document.querySelector("[data-testid=stApp]");
  if (own.stepped !== own.at && app?.dataset.testScriptState !== "running") {
    document.dispatchEvent(new CustomEvent("checkpointuntold"));
  }
  markStale(own);
}

function element(tag, className, text, title) {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = text;
  if (title) node.title = title;
  return node;
}

function draw(root, data, open) {
  const parts = [];
  if (data.phase) {
    const pill = element("span", `phase ${data.phase}`, data.phase);
    if (data.status && data.status !== data.phase) pill.textContent += ` · ${data.status}`;
    parts.push(pill);
  }
  parts.push(element("h1", "title", data.title, data.title));
  for (const fact of data.facts) parts.push(element("span", "fact", fact));
  if (data.violations !== null) {
    const none = data.violations === 0;
    const word = data.violations === 1 ? "violation" : "violations";
    const text = none ? "no violations" : `${data.violations} ${word}`;
    const fact = element(none ? "span" : "button", none ? "fact" : "fact bad", text);
    if (!none) {
      fact.type = "button";
      fact.title = "Show them";
      fact.addEventListener("click", () => open("violations"));
    }
    parts.push(fact);
  }
  if (data.problems > 0) {
    const word = data.problems === 1 ? "problem" : "problems";
    parts.push(element("span", "fact warn", `${data.problems} ${word}`));
  }
  const copy = element("button", "copy", "copy link", "Copy the address of this view");
  copy.type = "button";
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(window.location.href);
      copy.textContent = "copied";
    } catch {
      copy.textContent = "copy the address bar";
    }
    window.setTimeout(() => { copy.textContent = "copy link"; }, 1500);
  });
  parts.push(copy);
  const line = element("div", "line", "");
  line.append(...parts);
  root.replaceChildren(line);
  if (data.verdict) {
    const verdict = element("button", "verdict", data.verdict, "Why, what a resume would do, what looks wrong");
    verdict.type = "button";
    verdict.addEventListener("click", () => open("resume"));
    root.append(verdict);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  let own = instances.get(parentElement);
  if (!own) {
    own = { shown: "", at: null, stepped: null };
    own.onStep = (event) => {
      own.stepped = event.detail;
      markStale(own);
    };
    document.addEventListener("checkpointstep", own.onStep);
    own.onAddress = (event) => holdInAddress(own.data, event.detail);
    document.addEventListener("checkpointaddress", own.onAddress);
    own.onEscape = (event) => event.key === "Escape" && setTimeout(leaveBox, 0);
    document.addEventListener("keydown", own.onEscape, true);
    own.onPop = () => {
      // Streamlit itself runs another page; a report from this one would call it back.
      if (page() !== own.page) return;
      pending.search = window.location.search;
      clearTimeout(own.retold);
      tellBack(own);
    };
    window.addEventListener("popstate", own.onPop);
    instances.set(parentElement, own);
  }
  own.report = setTriggerValue;
  own.page = data.page;
  own.data = data;
  const shown = JSON.stringify(data.line);
  if (own.shown !== shown) {
    own.shown = shown;
    const root = parentElement.querySelector(".panel");
    draw(root, data.line, (page) => own.report("open", page));
    root.dataset.rev = shown.length;
  }
  writeAddress(data);
  own.at = data.at;
  markStale(own);
  return () => {
    window.removeEventListener("popstate", own.onPop);
    document.removeEventListener("checkpointstep", own.onStep);
    document.removeEventListener("checkpointaddress", own.onAddress);
    document.removeEventListener("keydown", own.onEscape, true);
    clearTimeout(own.timer);
    clearTimeout(own.retold);
    delete document.body.dataset.stepping;
    instances.delete(parentElement);
  };
}
