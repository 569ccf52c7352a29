// Recognizes 1,000 texts of ten forms, and counts kinds, names and faults.
import assert from 'node:assert/strict';
import { comparisonKey, recognize } from '@mintmark/identifier';

const FORMS: readonly ((n: number) => string)[] = [
  (n) => `100.102/${n.toString(16).padStart(32, '0')}`,
  (n) => `HDL:100.102/${n.toString(16).padStart(32, '0').toUpperCase()}`,
  (n) => `doi:10.1000/${n}`,
  (n) => `info:hdl/10.1000/${n}`,
  (n) => `https://hdl.handle.net/10.1000/${n}`,
  (n) => `\tdemo:${n}\n`,
  (n) => `info:fedora/demo:${n}`,
  (n) => `info:fedora/demo:${n}/DC`,
  (n) => `{f58fb49e-b1f8-48f0-a606-${n.toString(16).padStart(12, '0')}}`,
  (n) => `no identifier ${n}`,
];

const kinds = new Map<string, number>();
const names = new Set<string>();
for (let i = 0; i < 1000; i++) {
  const read = recognize(FORMS[i % 10]?.(Math.floor(i / 10)) ?? '');
  const kind = read.ok ? read.value.kind : `${read.kind ?? 'no kind'}: ${read.fault.code}`;
  kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  if (read.ok) names.add(comparisonKey(read.value.name));
}

// The text behind `doi:` is a Handle.
const seen = 'cordra,hdl-uri,handle,info-hdl,http-uri,fedora-pid,fedora-uri,fedora-dissemination,uuid';
assert.deepEqual([...kinds.keys()], [...seen.split(','), 'no kind: NOT_RECOGNIZED']);
assert.deepEqual([...new Set(kinds.values())], [100]);
// CORDRA identifiers, Handles, objects, datastreams and UUIDs: 100 of each.
assert.equal(names.size, 500);
