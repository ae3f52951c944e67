// The same work in Node: JSON.parse and jsondiffpatch with objectHash over lines of JSON.
//   node jsdiff.mjs time FILE.jsonl   → {"seconds": s}: parse all, diff each with the one before
//   node jsdiff.mjs count FILE.jsonl  → {"changes": [leaf changes of each neighbour]}
//   node jsdiff.mjs pairs FILE.jsonl  → the same, where lines 2n and 2n + 1 are a pair
import fs from 'node:fs';
import {create} from './made/node_modules/jsondiffpatch/lib/index.js';

const [, , mode, file] = process.argv;
const differ = create({
  objectHash: (entry, index) => entry?.id ?? entry?.seq ?? `$${index}`,
  arrays: {detectMove: true},
});

// A delta's leaves are arrays: [new], [old, new], [old, 0, 0] removed, ['', index, 3] moved.
function leaves(delta) {
  let found = 0;
  const waiting = [delta];
  while (waiting.length) {
    const part = waiting.pop();
    if (Array.isArray(part)) found += 1;
    else if (part && typeof part === 'object') {
      for (const key of Object.keys(part)) if (key !== '_t') waiting.push(part[key]);
    }
  }
  return found;
}

const lines = fs.readFileSync(file, 'utf8').split('\n').filter(Boolean);
const keep = mode !== 'time';
const deltas = [];
let differing = 0;
const start = process.hrtime.bigint();
let before = null;
lines.forEach((line, i) => {
  const now = JSON.parse(line);
  if (mode === 'pairs' ? i % 2 : i) {
    const delta = differ.diff(before, now);
    if (delta) differing += 1;
    if (keep) deltas.push(leaves(delta));
  }
  before = now;
});
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
console.log(JSON.stringify({seconds, differ: differing, changes: deltas}));
