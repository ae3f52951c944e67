// What the legend filters: phases, statuses, nodes and marks. Pure: node can run it.

/** Return a filter that keeps everything. */
export function noFilter() {
  return { phase: new Set(), status: new Set(), node: new Set(), mark: new Set() };
}

/** Return `filter` with `value` of `facet` put in, or taken out where it was in. */
export function toggled(filter, facet, value) {
  const values = new Set(filter[facet]);
  if (!values.delete(value)) values.add(value);
  return { ...filter, [facet]: values };
}

/** Whether `filter` leaves anything out. */
export function filters(filter) {
  return Object.values(filter).some((values) => values.size > 0);
}

/** Whether the checkpoint at `index` has `value` in `facet`. */
export function carries(chain, facet, value, index) {
  if (facet === "phase") return chain.phase[index] === value;
  if (facet === "status") return chain.status[index] === value;
  if (facet === "mark") return (chain.mark[index] & value) !== 0;
  return chain.node[index] === value || (chain.members[index]?.includes(value) ?? false);
}

/**
 * Return `{hit, count}`: 1 for each checkpoint that `filter` keeps. Within a facet one value is
 * enough; every facet with values must be met. `hit` is null where nothing is filtered.
 */
export function matching(chain, filter) {
  if (!filters(filter)) return { hit: null, count: chain.count };
  const wanted = Object.entries(filter)
    .filter(([, values]) => values.size)
    .map(([facet, values]) => [facet, [...values]]);
  const hit = new Uint8Array(chain.count);
  let count = 0;
  for (let index = 0; index < chain.count; index += 1) {
    const kept = wanted.every(([facet, values]) =>
      values.some((value) => carries(chain, facet, value, index)),
    );
    if (kept) count += hit[index] = 1;
  }
  return { hit, count };
}

/** Return the index `distance` matching checkpoints away, or the farthest one; null where none is. */
export function skipped(hit, position, distance) {
  const direction = Math.sign(distance);
  let left = Math.abs(distance);
  let found = null;
  for (let at = position + direction; at >= 0 && at < hit.length && left; at += direction) {
    if (!hit[at]) continue;
    found = at;
    left -= 1;
  }
  return found;
}

/** Return `[value, count]` of what occurs in a facet, the most frequent first. */
export function facetCounts(chain, facet) {
  const counts = new Map();
  const add = (value) => counts.set(value, (counts.get(value) ?? 0) + 1);
  if (facet === "mark") {
    chain.mark.forEach((bits) => {
      for (let bit = 1; bit <= bits; bit <<= 1) if (bits & bit) add(bit);
    });
  } else if (facet === "node") {
    chain.node.forEach((name, index) => {
      for (const one of chain.members[index] ?? [name]) if (one) add(one);
    });
  } else chain[facet].forEach((value) => value !== "" && add(value));
  const order = facet === "phase" || facet === "mark" ? (a, b) => a[0] - b[0] : (a, b) => b[1] - a[1];
  return [...counts].sort(order);
}
