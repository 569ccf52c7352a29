import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type pg from 'pg';
import { NamingAuthorityCounts } from '../../src/storage/naming-authorities/naming-authority-counts.js';

it('counts of naming authorities are at most four statements at the same time, and fail alone', async () => {
  const waiting: (() => void)[] = [];
  const sent: string[][] = [];
  const query = async (_text: string, [prefixes = []]: string[][]) => {
    sent.push(prefixes);
    await new Promise<void>((resolve) => waiting.push(resolve));
    if (prefixes.includes('slow')) throw Object.assign(new Error('canceling statement'), { code: '57014' });
    return { rows: prefixes.map((prefix) => ({ prefix, all: 3, reserved: 0, withdrawn: 0 })) };
  };
  const counts = new NamingAuthorityCounts({ query } as unknown as pg.Pool);
  const requests = [['1'], ['2', 'slow'], ['3', '4'], ['5'], ['6']];
  const outcomes = Promise.allSettled(requests.map((prefixes) => counts.count(prefixes)));
  await turn();
  expect(sent).toEqual(requests.slice(0, 4));
  for (let round = 0; round < 5; round++) {
    for (const end of waiting.splice(0)) end();
    await turn();
  }
  expect((await outcomes).map(({ status }) => status)).toEqual(
    requests.map((prefixes) => (prefixes.includes('slow') ? 'rejected' : 'fulfilled')),
  );
});
