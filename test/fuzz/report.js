import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bytesOf } from './request.js';

/** Failures that are reported completely, and characters of a request that is reported inline. */
const REPORTED = 20;
const INLINE = 6000;

/** The report of a run: the seed, a table of status counts, and each kind of failure with its request. */
export function report({ seed, runs, table, failures }) {
  const statuses = [...new Set([...table.values()].flatMap((counts) => [...counts.keys()]))].sort();
  const width = Math.max(...[...table.keys()].map(({ length }) => length));
  const line = (name, cells) => `${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(8)).join('')}`;
  const total = [...table.values()].flatMap((counts) => [...counts.values()]).reduce((sum, one) => sum + one, 0);
  return [
    `seed ${seed}: ${total} requests, ${runs} per operation; ${failures.length} failures`,
    '',
    line('operation', statuses),
    ...[...table].map(([id, counts]) =>
      line(
        id,
        statuses.map((status) => counts.get(status) ?? ''),
      ),
    ),
    ...describeFailures(failures),
    '',
  ].join('\n');
}

function describeFailures(failures) {
  const kinds = groupBy(failures);
  const reported = [...kinds.values()].slice(0, REPORTED);
  const folder = reported.length === 0 ? '' : mkdtempSync(join(tmpdir(), 'mintmark-fuzz-'));
  const more = kinds.size > REPORTED ? ['', `and ${kinds.size - REPORTED} more kinds of failures`] : [];
  return [...reported.flatMap((group, index) => describe(group, join(folder, `${index + 1}.http`))), ...more];
}

function describe(group, file) {
  const [{ request, answer, fault }] = group;
  const bytes = bytesOf(request);
  writeFileSync(file, bytes);
  const packed = gzipSync(bytes).toString('base64');
  return [
    '',
    `${request.operation.id}: ${fault} (${group.length} times)`,
    `  request: ${request.kind}, ${request.what}`,
    `  ${JSON.stringify(bytes.subarray(0, 600).toString('latin1'))}`,
    `  answer: ${answer.status ?? 'none'} ${JSON.stringify((answer.body ?? '').toString().slice(0, 400))}`,
    `  replay: npm run fuzz -- --replay ${packed.length <= INLINE ? packed : file}`,
  ];
}

function groupBy(failures) {
  const groups = new Map();
  for (const failure of failures) groups.set(kindOf(failure), [...(groups.get(kindOf(failure)) ?? []), failure]);
  return groups;
}

/** Failures of one kind have the same operation and the same fault, apart from values. */
function kindOf({ request, fault }) {
  return `${request.operation.id} ${fault}`;
}
