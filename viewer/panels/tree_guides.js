// What is said about the places of a state, as a trie. Pure: node can run it.

import { splitPointer } from "./json.js";

/** Return the trie of everything said about a place, so that reading needs no pointers. */
export function guides({ changes, removed, violations }) {
  const root = emptyGuide();
  for (const change of changes) guideAt(root, change[1]).change = change;
  for (const [container, key, position, pointer, value] of removed) {
    guideAt(root, container).removed.push({ key, at: position, pointer, value });
  }
  for (const [pointer, messages] of Object.entries(violations)) {
    guideAt(root, pointer).violations.push(...messages.map((message) => ({ pointer, message })));
  }
  return root;
}

function emptyGuide() {
  return { children: new Map(), change: null, removed: [], violations: [], row: undefined };
}

function guideAt(root, pointer) {
  let here = root;
  for (const token of splitPointer(pointer)) {
    let next = here.children.get(token);
    if (!next) here.children.set(token, (next = emptyGuide()));
    here = next;
  }
  return here;
}
