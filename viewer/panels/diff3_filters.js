// What is filtered as words in the address: `op:add,verdict:not shown,group:node,noise:on`.
// Pure: node can run it.

const SETS = { op: "ops", verdict: "verdicts", plane: "planes", node: "nodes" };

/** Return filters that let everything pass. */
export function noFilters() {
  return { ops: new Set(), verdicts: new Set(), planes: new Set(), nodes: new Set(), query: "" };
}

/** Return `{filters, byNode, noise}` that the words of `text` say; words not known say nothing. */
export function readFilter(text) {
  const found = { filters: noFilters(), byNode: false, noise: false };
  for (const word of (text ?? "").split(",")) {
    const [, kind, name] = /^([a-z]+):(.+)$/.exec(word) ?? [];
    if (Object.hasOwn(SETS, kind)) found.filters[SETS[kind]].add(name.replaceAll("%2C", ",").replaceAll("%25", "%"));
    else if (kind === "group") found.byNode = name === "node";
    else if (kind === "noise") found.noise = name === "on";
  }
  return found;
}

/** Return the words for what is filtered, or null for nothing; text searched for is not in it. */
export function writeFilter({ filters, byNode, noise }) {
  const words = Object.entries(SETS).flatMap(([kind, set]) =>
    [...filters[set]].map((name) => `${kind}:${name.replaceAll("%", "%25").replaceAll(",", "%2C")}`),
  );
  if (byNode) words.push("group:node");
  if (noise) words.push("noise:on");
  return words.length ? words.join(",") : null;
}
