// What the strip knows about a chain: columns unpacked, lanes packed into rows, where to go next.
// Pure: node can run it.

/** Return the column that `runs` in strip.py packed. */
export function unpacked(column) {
  const values = [];
  for (const entry of column.split(" ").filter(Boolean)) {
    const [word, length = "1"] = entry.split("*");
    const value = word === "~" ? null : Number(word);
    for (let i = Number(length); i > 0; i -= 1) values.push(value);
  }
  return values;
}

function summed(differences) {
  let last = 0;
  return differences.map((difference) => (difference === null ? null : (last += difference)));
}

/** Return the chain as plain columns, one entry a checkpoint. */
export function chainFrom(payload) {
  const column = (name) => unpacked(payload[name]);
  const back = column("back");
  const nodes = column("node");
  const sets = column("changed");
  const chain = {
    count: payload.count,
    phase: column("phase"),
    status: column("status").map((word) => payload.statuses[word]),
    node: nodes.map((word) => payload.nodes[word]),
    // Who made it, where several nodes did together; else undefined.
    members: nodes.map((word) => payload.members[word]),
    lane: column("lane"),
    parent: back.map((distance, index) => (distance ? index - distance : null)),
    mark: column("mark"),
    step: summed(column("step")),
    time: summed(column("time")),
    size: summed(column("size")),
    broken: payload.broken,
    head: payload.head,
    phases: payload.phases,
    marks: payload.marks,
    ids: payload.ids,
    namespace: payload.namespace,
    called: payload.called,
    way: payload.way,
    nests: column("nests"),
    changed: (index) => fieldNames(payload, sets[index]),
  };
  chain.row = packedRows(chain.lane, chain.parent);
  chain.rows = chain.row.reduce((most, row) => Math.max(most, row + 1), 1);
  chain.largest = chain.size.reduce((most, size) => Math.max(most, size), 1);
  return chain;
}

/** Return the names of the fields in set number `set`; the last says how many more there are. */
function fieldNames(payload, set) {
  if (set === null) return [];
  const words = payload.changes[set].split(" ").filter(Boolean);
  return words.map((word) => (word[0] === "+" ? `${word.slice(1)} more` : payload.fields[word]));
}

const MOST_ROWS = 6;

/**
 * Return the drawn row of each checkpoint: the live lineage in row 0, each branch in the highest
 * row that is free from the branch point on. What has no row left shares the last one.
 */
export function packedRows(lane, parent) {
  const spans = new Map();
  lane.forEach((name, index) => {
    const span = spans.get(name);
    if (span) span.last = index;
    else spans.set(name, { name, first: parent[index] ?? index, last: index });
  });
  const free = [];
  const rowOf = new Map([[0, 0]]);
  const branches = [...spans.values()].filter((span) => span.name !== 0);
  for (const span of branches.sort((a, b) => a.first - b.first)) {
    let row = free.findIndex((until) => until < span.first);
    if (row < 0) row = Math.min(free.length, MOST_ROWS - 2);
    free[row] = Math.max(free[row] ?? -1, span.last);
    rowOf.set(span.name, row + 1);
  }
  return lane.map((name) => rowOf.get(name) ?? 0);
}

const MAGNIFIED = 160;

/** Return `[first, after last]` of the magnified window around `position`. */
export function magnified(count, position, size = MAGNIFIED) {
  if (count <= size) return [0, count];
  const first = Math.max(0, Math.min(count - size, position - Math.floor(size / 2)));
  return [first, first + size];
}

/** Return the nearest index from `position` in `direction` that `wanted` accepts, else null. */
export function nextWhere(count, position, direction, wanted) {
  for (let at = position + direction; at >= 0 && at < count; at += direction) {
    if (wanted(at)) return at;
  }
  return null;
}
