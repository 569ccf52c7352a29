import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { inOwnTurns, ownTurn } from '../../../src/http/body/own-turn.js';

/** Counts the turns of the event loop while the work runs. */
async function withTurns(work: (turn: () => number) => Promise<void>): Promise<void> {
  let turn = 0;
  const over = new AbortController();
  const counting = (async () => {
    for (; !over.signal.aborted; turn++) await nextTurn();
  })();
  await work(() => turn);
  over.abort();
  await counting;
}

const busy = (ms: number): void => {
  for (const since = performance.now(); performance.now() - since < ms;) continue;
};

describe('ownTurn', () => {
  it('is given to one caller in each turn of the event loop, in order', async () => {
    await withTurns(async (turn) => {
      const begun: [string, number][] = [];
      const caller = async (name: string) => {
        await ownTurn();
        begun.push([name, turn()]);
      };
      await Promise.all(['a', 'b', 'c', 'd'].map(caller));
      expect(begun.map(([name]) => name)).toEqual(['a', 'b', 'c', 'd']);
      expect(new Set(begun.map(([, number]) => number)).size).toBe(4);
    });
  });

  it('comes to requests after at most one turn of a stream, and to streams after the requests that waited', async () => {
    const begun: string[] = [];
    const caller = async (name: string, wait: () => Promise<unknown>) => {
      await wait();
      begun.push(name);
      // The first stream lets two requests begin, and the first of these another one.
      if (name === 'stream 0') await Promise.all([caller('a', ownTurn), caller('b', ownTurn)]);
      if (name === 'a') await caller('c', ownTurn);
    };
    const slice = () => inOwnTurns([0], () => null);
    await Promise.all(Array.from({ length: 40 }, (_, index) => caller(`stream ${index}`, slice)));
    expect(begun.slice(0, 6)).toEqual(['stream 0', 'a', 'b', 'stream 1', 'c', 'stream 2']);
  });

  it('comes many turns after one that took long', async () => {
    await withTurns(async (turn) => {
      let [end, next] = [0, 0];
      const long = ownTurn().then(() => {
        busy(100);
        end = turn();
      });
      const other = ownTurn().then(() => (next = turn()));
      await Promise.all([long, other]);
      expect(next - end).toBeGreaterThan(10);
    });
  });
});

describe('inOwnTurns', () => {
  /** The items that callers worked on in each turn of the event loop. */
  async function workOf(callers: number, items: number, ms: number) {
    const turns = new Map<number, string[]>();
    await withTurns(async (turn) => {
      const work = async (_: unknown, caller: number) =>
        inOwnTurns(Array(items).keys(), (item) => {
          busy(ms);
          turns.set(turn(), [...(turns.get(turn()) ?? []), `${caller}`]);
          return item;
        });
      const expected = Array.from({ length: callers }, () => [...Array(items).keys()]);
      expect(await Promise.all(Array.from({ length: callers }, work))).toEqual(expected);
    });
    return [...turns.values()];
  }

  it('ends its turn after a few milliseconds, and works for one caller in each turn', async () => {
    const turns = await workOf(10, 6, 2);
    for (const callers of turns) expect([new Set(callers).size, callers.length <= 2]).toEqual([1, true]);
    // The callers alternate.
    expect(new Set(turns.slice(0, 10).map(([caller]) => caller)).size).toBe(10);
  });

  it('does many short pieces of work in one turn', async () => {
    expect((await workOf(1, 1000, 0)).length).toBeLessThan(100);
  });
});
