import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { NamingAuthorityCounts } from '../../src/storage/naming-authorities/naming-authority-counts.js';

/** Counts over a pool whose statements end when `release` is called, and fail for the prefix "slow". */
function countsOfFakePool() {
  const waiting: (() => void)[] = [];
  const sent: string[][] = [];
  const query = async (_text: string, [prefixes = []]: string[][]) => {
    sent.push(prefixes);
    await new Promise<void>((resolve) => waiting.push(resolve));
    if (prefixes.includes('slow')) throw Object.assign(new Error('canceling statement'), { code: '57014' });
    return { rows: prefixes.map((prefix) => ({ prefix, all: 3, reserved: 0, withdrawn: 0 })) };
  };
  const release = async () => {
    for (let round = 0; round < 20; round++) {
      for (const end of waiting.splice(0)) end();
      await turn();
    }
  };
  return { counts: new NamingAuthorityCounts({ query } as unknown as pg.Pool), sent, release };
}

const active = (counts: { active: { value: number } } | undefined) => counts?.active.value;

describe('the counts of naming authorities', () => {
  it('of one prefix do not wait for those of long lists', async () => {
    const { counts, sent, release } = countsOfFakePool();
    const lists = [1, 2, 3].map((n) => counts.count([`${n}`, `${n}.1`]));
    const one = counts.count(['9']);
    await turn();
    expect(sent).toContainEqual(['9']);
    await release();
    expect(active((await one)[0])).toBe(3);
    expect((await Promise.all(lists)).flat().map(active)).toEqual([3, 3, 3, 3, 3, 3]);
  });

  it('fail only for the request whose statement fails', async () => {
    const { counts, release } = countsOfFakePool();
    const requests = [['1'], ['2'], ['slow'], ['3'], ['4', 'slow'], ['5', '6'], ['7', '8'], ['9', '10']];
    const outcomes = Promise.allSettled(requests.map((prefixes) => counts.count(prefixes)));
    await turn();
    await release();
    expect((await outcomes).map(({ status }) => status)).toEqual(
      requests.map((prefixes) => (prefixes.includes('slow') ? 'rejected' : 'fulfilled')),
    );
  });

  it('are one statement for equal lists that wait, and not for a list whose statement has begun', async () => {
    const { counts, sent, release } = countsOfFakePool();
    const blocked = [counts.count(['1', '2']), counts.count(['3', '4'])];
    await turn();
    const same = [counts.count(['1', '2']), counts.count(['1', '2'])];
    await release();
    await Promise.all([...blocked, ...same]);
    expect(sent).toEqual([
      ['1', '2'],
      ['3', '4'],
      ['1', '2'],
    ]);
  });
});
