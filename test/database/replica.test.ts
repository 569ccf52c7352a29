import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { Replica } from '../../src/database/replica/replica.js';
import { StartupError } from '../../src/config/startup-error.js';
import { ReplicaUnusableError } from '../../src/database/replica/replica-watch.js';
import { Readers } from '../../src/storage/replica-readers.js';

/** Both servers, as the statements about their state see them; a null position does not respond. */
function servers() {
  const common = { database: '7/5', tableId: '100' as string | null };
  const state = {
    primary: { ...common, position: 1000n as bigint | null, inRecovery: false },
    standby: { ...common, position: 1000n as bigint | null, inRecovery: true },
    connectError: null as Error | null,
    isReadable: true,
    closed: 0,
    /** At the same balancer, which leads every second session to it. */
    other: null as { position: bigint } | null,
  };
  const answer = ({ position, ...others }: typeof state.primary) =>
    position === null
      ? Promise.reject(Object.assign(new Error('rejected'), { code: 'ECONNREFUSED' }))
      : Promise.resolve({ rows: [{ ...others, position: position.toString() }] });
  const client = {
    query: ({ name }: { name?: string }) => {
      if (name === 'server-state') return answer(state.standby);
      return state.isReadable
        ? Promise.resolve({ rows: [{ value: 'of the standby' }] })
        : Promise.reject(new Error('permission denied for table identifier'));
    },
    release: (isClosed?: boolean) => {
      reads.totalCount -= 1;
      if (isClosed === true) state.closed += 1;
    },
  };
  const ofOther = {
    query: ({ name }: { name?: string }) =>
      name === 'server-state'
        ? answer({ ...state.standby, ...state.other })
        : Promise.resolve({ rows: [{ value: 'of the other' }] }),
    release: () => {
      reads.totalCount -= 1;
    },
  };
  const end = () => Promise.resolve();
  const connect = () => {
    if (state.connectError !== null) return Promise.reject(state.connectError);
    reads.totalCount += 1;
    return Promise.resolve(state.other !== null && reads.totalCount % 2 === 0 ? ofOther : client);
  };
  const reads = { connect, end, totalCount: 0, idleCount: 0, options: { max: 2 } };
  const pools = {
    reads,
    primaryProbe: { query: () => answer(state.primary), end },
  };
  const logger = { warn: jest.fn(), info: jest.fn() };
  const replica = new Replica(pools as unknown as Record<keyof typeof pools, pg.Pool>, logger);
  const advance = async (seconds: number, written = 10n) => {
    for (let n = 0; n < seconds; n++) {
      if (state.primary.position !== null) {
        state.primary.position += written;
        if (state.other !== null) state.other.position = state.primary.position;
      }
      await jest.advanceTimersByTimeAsync(1000);
    }
  };
  return { state, logger, replica, advance };
}

const QUERY = { name: 'q', text: 'SELECT 1' };
const late = () => new Promise<string>(() => {});

describe('a replica', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is left out while it replays more than 10 s behind, and read again when it has caught up', async () => {
    const { state, replica, advance } = servers();
    await replica.watch.start();
    expect(await replica.query(QUERY)).toEqual({ rows: [{ value: 'of the standby' }] });
    await advance(9);
    expect(replica.isUsable).toBe(true);
    await advance(4);
    expect([replica.isUsable, replica.lagSeconds > 10]).toEqual([false, true]);
    await expect(replica.query(QUERY)).rejects.toThrow(ReplicaUnusableError);
    state.standby.position = state.primary.position;
    await advance(1);
    expect(replica.isUsable).toBe(true);
    await replica.stop();
  });

  it('is not read after a start while it is behind by an unknown time', async () => {
    const { state, replica, advance } = servers();
    state.standby.position = 999n;
    await replica.watch.start();
    expect(replica.isUsable).toBe(false);
    state.primary.position = null;
    await advance(60);
    expect(replica.isUsable).toBe(false);
    await replica.stop();
  });

  it('is read for minutes while the primary does not respond, and not for ever, which is reported', async () => {
    const { state, logger, replica, advance } = servers();
    await replica.watch.start();
    state.primary.position = null;
    await advance(120);
    expect([replica.isUsable, replica.watch.isPrimaryAway]).toEqual([true, true]);
    expect(logger.warn).not.toHaveBeenCalled();
    await advance(600);
    expect(replica.isUsable).toBe(false);
    const reason = expect.stringContaining('has not responded for 10 minutes');
    expect(logger.warn.mock.calls).toEqual([[{ reason }, expect.stringContaining('is not read')]]);
    await replica.stop();
  });

  it('is left out when the primary has written for a time in which it was not compared', async () => {
    const { state, replica, advance } = servers();
    await replica.watch.start();
    state.primary.position = null;
    await advance(60);
    state.primary.position = 1500n;
    await advance(2);
    expect(replica.isUsable).toBe(false);
    state.standby.position = state.primary.position;
    await advance(1);
    expect(replica.isUsable).toBe(true);
    await replica.stop();
  });

  it('is left out without a response, and reported once', async () => {
    const { state, logger, replica, advance } = servers();
    await replica.watch.start();
    state.standby.position = null;
    await expect(replica.query(QUERY)).rejects.toThrow('rejected');
    await advance(5, 0n);
    expect([replica.isUsable, logger.warn.mock.calls.length]).toEqual([false, 1]);
    state.standby.position = 1000n;
    await advance(2, 0n);
    expect([replica.isUsable, logger.info.mock.calls.length]).toEqual([true, 1]);
    await replica.stop();
  });

  it('whose tables the role may not read is left out, and reported once', async () => {
    const { state, logger, replica, advance } = servers();
    state.isReadable = false;
    await replica.watch.start();
    await expect(replica.query(QUERY)).rejects.toThrow(ReplicaUnusableError);
    await advance(5, 0n);
    const reason = 'permission denied for table identifier';
    expect(logger.warn.mock.calls).toEqual([[{ reason }, expect.stringContaining('is not read')]]);
    state.isReadable = true;
    await advance(1, 0n);
    expect([replica.isUsable, logger.info.mock.calls.length]).toEqual([true, 1]);
    await replica.stop();
  });

  it('is still read after a read that waited in vain for one of its connections', async () => {
    const { state, replica } = servers();
    await replica.watch.start();
    state.connectError = new Error('timeout exceeded when trying to connect');
    await expect(replica.query(QUERY)).rejects.toThrow('timeout exceeded');
    state.connectError = null;
    expect(replica.isUsable).toBe(true);
    expect((await replica.query(QUERY)).rows).toHaveLength(1);
    await replica.stop();
  });

  it.each([3, 30])(
    'that is %i s behind is not read while a session of the same balancer is at another',
    async (seconds) => {
      const { state, replica, advance } = servers();
      await replica.watch.start();
      state.other = { position: 2000n };
      state.primary.position = 2000n - BigInt(seconds * 10);
      await advance(seconds);
      state.primary.position = null;
      await advance(5);
      expect([replica.isUsable, replica.watch.isPrimaryAway]).toEqual([true, true]);
      const closed = state.closed;
      expect(await replica.query(QUERY)).toEqual({ rows: [{ value: 'of the other' }] });
      expect(state.closed).toBe(closed + 1);
      // It is alone, and read up to 10 s.
      state.other = null;
      const alone = replica.query(QUERY);
      if (seconds > 10) await expect(alone).rejects.toThrow(ReplicaUnusableError);
      else expect(await alone).toEqual({ rows: [{ value: 'of the standby' }] });
      await replica.stop();
    },
  );

  it('of another database ends the start', async () => {
    const { state, replica } = servers();
    state.standby.database = '8/5';
    await expect(replica.watch.start()).rejects.toThrow(StartupError);
    await replica.stop();
  });

  it.each([null, '99'])(
    'with the table %s has not replayed the migrations, and is read when it has',
    async (tableId) => {
      const { state, replica, advance } = servers();
      state.standby.tableId = tableId;
      await replica.watch.start();
      expect(replica.isUsable).toBe(false);
      state.standby.tableId = state.primary.tableId;
      await advance(1, 0n);
      expect(replica.isUsable).toBe(true);
      await replica.stop();
    },
  );

  it('that has changes which the primary lacks is left out, also when the primary has written more', async () => {
    const { state, replica, advance } = servers();
    await replica.watch.start();
    state.standby.position = 1500n;
    await advance(2, 0n);
    expect(replica.isUsable).toBe(false);
    state.primary.position = 1600n;
    await advance(2, 0n);
    expect(replica.isUsable).toBe(false);
    state.standby.position = 1600n;
    await advance(1, 0n);
    expect(replica.isUsable).toBe(true);
    await replica.stop();
  });

  it('is left out where it has more changes that the primary lacks than it had when that was found', async () => {
    const { state, replica, advance } = servers();
    await replica.watch.start();
    for (const position of [1500n, 1510n, 1520n]) {
      state.standby.position = position;
      await advance(2);
      expect(replica.isUsable).toBe(false);
      await expect(replica.query(QUERY)).rejects.toThrow(ReplicaUnusableError);
    }
    // A second server of the same balancer, with less of the lost part.
    state.standby.position = 1490n;
    await advance(2);
    expect(replica.isUsable).toBe(false);
    state.standby.position = 1505n;
    await advance(1);
    expect(replica.isUsable).toBe(false);
    state.standby.position = state.primary.position;
    await advance(1);
    expect(replica.isUsable).toBe(true);
    await replica.stop();
  });

  it('is not read for a position that it has not replayed', async () => {
    const { replica } = servers();
    await replica.watch.start();
    await expect(replica.query(QUERY, 1001n)).rejects.toThrow(ReplicaUnusableError);
    expect((await replica.query(QUERY, 1000n)).rows).toHaveLength(1);
    await replica.stop();
  });
});

describe('what reads depend on', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const readersOf = (replica: Replica) => new Readers('primary', replica, () => 'replica');
  const own = (name: string) => Promise.resolve(name);

  it('is read at the primary, and at the replica when two comparisons with the primary have failed', async () => {
    const { state, replica, advance } = servers();
    await replica.watch.start();
    expect(await readersOf(replica).primaryFirst(own)).toBe('primary');
    state.primary.position = null;
    await advance(1);
    expect(await readersOf(replica).primaryFirst(own)).toBe('primary');
    await advance(1);
    expect(await readersOf(replica).primaryFirst(own)).toBe('replica');
    await replica.stop();
  });

  it('is read at the replica while the server of DATABASE_URL is in recovery', async () => {
    const { state, replica, advance } = servers();
    await replica.watch.start();
    state.primary.inRecovery = true;
    await advance(2, 0n);
    expect(await readersOf(replica).primaryFirst(own)).toBe('replica');
    await replica.stop();
  });

  it('is read at the replica after half a second without a response', async () => {
    const { replica } = servers();
    await replica.watch.start();
    const read = readersOf(replica).primaryFirst((name) => (name === 'primary' ? late() : own(name)));
    await jest.advanceTimersByTimeAsync(500);
    expect(await read).toBe('replica');
    await replica.stop();
  });
});
