// Compares two OpenAPI documents without their texts: `node scripts/openapi-diff.js BEFORE AFTER [OLD=NEW ...]`, where
// OLD=NEW is a renamed schema. Prints each difference; the exit code is 1 if there is one.
import { readFileSync } from 'node:fs';

const TEXTS = new Set(['description', 'summary', 'title']);
const [before, after, ...pairs] = process.argv.slice(2);
const renamed = new Map(pairs.map((pair) => pair.split('=')));

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Each leaf of a document with its path, in which schemas have the names of the newer document. */
function* leaves(value, path, rename) {
  if (typeof value !== 'object' || value === null) {
    yield [path, typeof value === 'string' ? rename(value) : value];
    return;
  }
  const isMap = /\/(properties|schemas|headers|responses|paths|content|examples)$/.test(path);
  for (const [name, member] of Object.entries(value)) {
    if (!isMap && !Array.isArray(value) && TEXTS.has(name) && typeof member === 'string') continue;
    yield* leaves(member, `${path}/${rename(name)}`, rename);
  }
}

const newName = (text) => text.replace(/[A-Za-z]+Dto\b/g, (name) => renamed.get(name) ?? name);
const old = new Map(leaves(read(before), '', newName));
const now = new Map(leaves(read(after), '', (text) => text));
const differences = [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path));
for (const path of differences)
  console.log(`${path}: ${JSON.stringify(old.get(path))} -> ${JSON.stringify(now.get(path))}`);
console.log(`${differences.length} differences besides texts`);
process.exit(differences.length === 0 ? 0 : 1);
