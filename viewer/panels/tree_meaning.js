// What the profile says of the places of a state: planes, what a model is shown, schema, rules.
// Pure: node can run it.

import { begins, firstMatch } from "./json.js";

export const NOT_SHOWN = 1;
export const SHOWN = 2;
export const MAY_BE = 3;
export const SHOWN_WORDS = ["", "would not be shown", "would be shown", "may be shown or not"];

/** Return the plane of each row as a place in `names`, 0 where it has none. */
export function planesOf(tree) {
  const names = [null, ...new Set(tree.planes.map(([, , name]) => name))];
  const { depth, parent, length } = tree.columns;
  const plane = new Uint8Array(length);
  const reach = Math.max(0, ...tree.planes.map(([tokens]) => tokens.length)) + 1;
  for (let row = 0; row < length; row += 1) {
    // Deeper than any pattern reaches, a place lies where the one above it lies.
    if (depth[row] > reach) plane[row] = plane[parent[row]];
    else plane[row] = names.indexOf(firstMatch(tree.planes, tree.tokens(row)));
  }
  return { names, plane };
}

/**
 * Return for each row what the profile's projection says: a place is shown when it or a place above
 * it is included and neither is excluded; without any include, everything is. Null without one.
 */
export function shownOf(tree) {
  if (!tree.projection) return null;
  const { include, exclude, optional } = tree.projection;
  const { depth, parent, length } = tree.columns;
  const reach = Math.max(0, ...[...include, ...exclude, ...optional].map(([tokens]) => tokens.length));
  const shown = new Uint8Array(length);
  const names = (rows, tokens) => rows.some(([pattern]) => pattern.length === tokens.length && begins(pattern, tokens));
  for (let row = 0; row < length; row += 1) {
    const above = parent[row] < 0 ? (include.length ? NOT_SHOWN : SHOWN) : shown[parent[row]];
    const out = parent[row] >= 0 && excludedAt(shown, parent[row]);
    if (out || depth[row] > reach) {
      shown[row] = shown[parent[row]];
      continue;
    }
    const tokens = tree.tokens(row);
    if (names(exclude, tokens)) shown[row] = NOT_SHOWN | EXCLUDED;
    else if (names(include, tokens)) shown[row] = SHOWN;
    else if (above === NOT_SHOWN && names(optional, tokens)) shown[row] = MAY_BE;
    else shown[row] = above;
  }
  return shown.map((state) => state & ~EXCLUDED);
}

const EXCLUDED = 8;

function excludedAt(shown, row) {
  return (shown[row] & EXCLUDED) !== 0;
}

/** Return what the schema says of a place as `[keyword, text]` lines, or none. */
export function schemaWords(schema, tokens) {
  let node = schema;
  for (const token of tokens) {
    if (!node) return [];
    node = node.at && Object.hasOwn(node.at, token) ? node.at[token] : node.any;
  }
  return node?.words ?? [];
}

/** Return the rules about exactly this place, or about one of its pattern. */
export function rulesAt(rules, tokens) {
  return rules
    .filter(([pattern, tail]) => (tail || pattern.length === tokens.length) && pattern.length <= tokens.length && begins(pattern, tokens))
    .map(([, , words]) => words);
}
