// Ask Python for something while the page stays as it is; see viewer/ui/ask.py for what it answers.

const NAME = Math.random().toString(36).slice(2);
const underway = new Map();
let asked = 0;

if (typeof document !== "undefined") {
  document.addEventListener("checkpointanswer", ({ detail }) => {
    const waiting = underway.get(detail.id);
    if (!waiting) return;
    underway.delete(detail.id);
    if ("error" in detail) waiting.reject(new Error(detail.error));
    else waiting.resolve(detail.answer);
  });
  document.addEventListener("checkpointasklistens", () => {
    for (const [id, { kind, args }] of underway) send(id, kind, args);
  });
}

function send(id, kind, args) {
  document.dispatchEvent(new CustomEvent("checkpointask", { detail: { id, kind, args } }));
}

/**
 * Return a promise of the answer to a question of `kind`; it rejects with Python's reason.
 * `signal` takes a question back that was not yet sent, and ignores the answer of one that was.
 */
export function ask(kind, args, signal = null) {
  asked += 1;
  const id = `${NAME}-${asked}`;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return;
    signal?.addEventListener("abort", () => {
      underway.delete(id);
      document.dispatchEvent(new CustomEvent("checkpointaskdropped", { detail: { id } }));
    });
    underway.set(id, { resolve, reject, kind, args });
    send(id, kind, args);
  });
}

/**
 * Step the strip to checkpoint `index`, and show the place `at` there where one is named; with
 * `marked` the first place that a violation or finding marks.
 */
export function goTo(index, at = null, marked = false) {
  document.dispatchEvent(new CustomEvent("checkpointgo", { detail: marked ? { index, at, marked } : { index, at } }));
}

/** Put what a panel holds into the address: `{at, view, filter}`; null takes one out. */
export function inAddress(params, push = false) {
  document.dispatchEvent(new CustomEvent("checkpointaddress", { detail: { params, push } }));
}
