import { describe, expect, it } from '@jest/globals';
import { OPEN_ACCESS } from '../../src/access/principal.js';
import { type ChangePage, EventLog, type LogQuery } from '../../src/history/event-log.js';
import type { FoundEvents } from '../../src/storage/changes/change-reader.js';

const at = (n: number) => ({ position: BigInt(n), id: 0n });

const QUERY: LogQuery = {
  ...({ limit: 10, order: 'at', filter: { namingAuthorities: null, kind: 'deleted', client: null } } as const),
  ...{
    permit: () => Promise.resolve(),
    inPlace: (search: () => Promise<ChangePage>) => search(),
    isRestricted: false,
    reader: OPEN_ACCESS,
  },
};

/** Parts of a log without an end, each of which has these members; records how many events each was to read. */
function endless(part: Partial<FoundEvents>) {
  const reads: number[] = [];
  const reader = {
    page: (after: { position: bigint }, _query: unknown, read: number): Promise<FoundEvents> => {
      reads.push(read);
      const reached = at(Number(after.position) + read);
      return Promise.resolve({ changes: [], reached, end: false, isFull: false, bytes: 0, read, ...part });
    },
    headWithout: () => Promise.resolve(null),
  };
  const waits: number[] = [];
  const watcher = {
    isStopping: false,
    waitFor: (_reached: unknown, ms: number) => {
      waits.push(ms);
      watcher.isStopping = true;
      return Promise.resolve();
    },
  };
  const log = new EventLog(reader as never, watcher as never, null as never, null as never);
  const next = (query: Partial<LogQuery> = {}, waitMs = 0, hungUp = new AbortController()) =>
    log.next(at(0), { ...QUERY, ...query }, waitMs, hungUp.signal);
  return { next, reads, waits, watcher };
}

const change = { kind: 'deleted' } as never;

describe('a search of the log', () => {
  it('ends after 200,000 events in parts that grow, without the end and behind what it read', async () => {
    const { next, reads, waits } = endless({});
    const page = await next({}, 60_000);
    expect([page.changes, page.end, waits]).toEqual([[], false, []]);
    const read = reads.reduce((sum, each) => sum + each, 0);
    expect(read).toBeGreaterThanOrEqual(200_000);
    expect(read).toBeLessThan(210_000);
    expect(page.reached).toEqual(at(read));
    expect([reads[0], Math.max(...reads)]).toEqual([101, 10_000]);
  });

  it('ends when the patches of its events have more than 1 MiB', async () => {
    const { next, reads } = endless({ changes: [change], bytes: 3 * 2 ** 17 });
    expect((await next()).changes).toHaveLength(3);
    expect(reads).toHaveLength(3);
  });

  it('ends when the client hangs up and when the service stops', async () => {
    const hungUp = new AbortController();
    hungUp.abort();
    const left = endless({});
    await left.next({}, 60_000, hungUp);
    const stopped = endless({});
    stopped.watcher.isStopping = true;
    await stopped.next({}, 60_000);
    expect([left.reads, stopped.reads]).toEqual([[101], [101]]);
  });

  it('waits at the end of the log only, in the order of the log only, and with nothing found only', async () => {
    const waitsOf = async (part: Partial<FoundEvents>, query: Partial<LogQuery> = {}) => {
      const log = endless({ end: true, ...part });
      await log.next(query, 60_000);
      return log.waits.length;
    };
    expect(await waitsOf({})).toBe(1);
    expect(await waitsOf({ end: false })).toBe(0);
    expect(await waitsOf({ changes: [change] })).toBe(0);
    expect(await waitsOf({}, { order: '-at' })).toBe(0);
  });

  it('reads no more events than a page needs where every event is wanted', async () => {
    const { next, reads } = endless({ isFull: true });
    await next({ filter: null, limit: 50 });
    expect(reads).toEqual([51]);
  });
});
