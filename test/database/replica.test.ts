import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { PositionHistory } from '../../src/database/replica/position-history.js';
import { ForeignReplicaError, Replica, ReplicaUnusableError } from '../../src/database/replica/replica.js';

/** Both servers, as the statements about their state see them; a null position does not respond. */
function servers() {
  const state = { primary: 1000n as bigint | null, standby: 1000n as bigint | null, standbyRegistry: 'r' };
  const answer = (position: bigint | null, registry: string) =>
    position === null
      ? Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
      : Promise.resolve({ rows: [{ position: position.toString(), registry }] });
  const client = {
    query: ({ name }: { name?: string }) =>
      name === 'server-state'
        ? answer(state.standby, state.standbyRegistry)
        : Promise.resolve({ rows: [{ value: 'of the standby' }] }),
    release: () => {},
  };
  const pool = { ...client, connect: () => Promise.resolve(client), end: () => Promise.resolve() };
  const primary = { query: () => answer(state.primary, 'r') };
  const logger = { warn: jest.fn(), info: jest.fn() };
  return { state, logger, replica: new Replica(pool as unknown as pg.Pool, primary as never, logger) };
}

const QUERY = { name: 'q', text: 'SELECT 1' };

describe('a replica', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is left out while it replays more than 10 s behind, and read again when it has caught up', async () => {
    const { state, replica } = servers();
    await replica.start();
    expect(await replica.query(QUERY)).toEqual({ rows: [{ value: 'of the standby' }] });
    const advance = async (seconds: number) => {
      for (let n = 0; n < seconds; n++) {
        state.primary = state.primary! + 10n;
        await jest.advanceTimersByTimeAsync(1000);
      }
    };
    await advance(9);
    expect(replica.isUsable).toBe(true);
    await advance(4);
    expect([replica.isUsable, replica.lagSeconds > 10]).toEqual([false, true]);
    await expect(replica.query(QUERY)).rejects.toThrow(ReplicaUnusableError);
    state.standby = state.primary;
    await advance(1);
    expect(replica.isUsable).toBe(true);
    await replica.stop();
  });

  it('is read for minutes while the primary does not respond, and not for ever', async () => {
    const { state, replica } = servers();
    await replica.start();
    state.primary = null;
    await jest.advanceTimersByTimeAsync(120_000);
    expect([replica.isUsable, replica.isPrimaryAway]).toEqual([true, true]);
    await jest.advanceTimersByTimeAsync(600_000);
    expect(replica.isUsable).toBe(false);
    await replica.stop();
  });

  it('is left out without a response, and reported once', async () => {
    const { state, logger, replica } = servers();
    await replica.start();
    state.standby = null;
    await expect(replica.query(QUERY)).rejects.toThrow('refused');
    await jest.advanceTimersByTimeAsync(5000);
    expect([replica.isUsable, logger.warn.mock.calls.length]).toEqual([false, 1]);
    state.standby = 1000n;
    await jest.advanceTimersByTimeAsync(2000);
    expect([replica.isUsable, logger.info.mock.calls.length]).toEqual([true, 1]);
    await replica.stop();
  });

  it('of another database ends the start', async () => {
    const { state, replica } = servers();
    state.standbyRegistry = 'other';
    await expect(replica.start()).rejects.toThrow(ForeignReplicaError);
    await replica.stop();
  });

  it('is not read for a position that it has not replayed', async () => {
    const { replica } = servers();
    await replica.start();
    await expect(replica.query(QUERY, 1001n)).rejects.toThrow(ReplicaUnusableError);
    expect((await replica.query(QUERY, 1000n)).rows).toHaveLength(1);
    await replica.stop();
  });
});

describe('the history of positions', () => {
  it.each([
    ['has everything', 30n, 0],
    ['is ahead of the last sample', 99n, 0],
    ['lacks the last sample', 20n, 0],
    ['lacks an earlier one', 19n, 1000],
    ['lacks all that are known', 5n, 2000],
  ])('of a state that %s', (_, position, lag) => {
    const history = new PositionHistory(10_000);
    for (const [at, of] of [
      [1000, 10n],
      [2000, 20n],
      [3000, 30n],
    ] as const)
      history.add(at, of);
    expect(history.lagOf(position)).toBe(lag);
  });

  it('forgets the positions of a lost end of the log', () => {
    const history = new PositionHistory(10_000);
    history.add(1000, 50n);
    history.add(2000, 40n);
    expect([history.last, history.lagOf(40n)]).toEqual([{ at: 2000, position: 40n }, 0]);
  });
});
