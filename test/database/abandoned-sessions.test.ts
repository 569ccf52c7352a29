import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { AbandonedSessions, noteConnected } from '../../src/database/abandoned-sessions.js';

/** A server on which sessions wait for a standby, until they are ended. */
function server() {
  const state = { waiting: new Set<number>(), rejections: 0, connections: 0, requests: [] as unknown[][] };
  const query = ({ values }: { values: [number[], number[]] }) => {
    state.connections += 1;
    if (state.rejections > 0) {
      state.rejections -= 1;
      return Promise.reject(new Error('sorry, too many clients already'));
    }
    state.requests.push(values);
    const rows = values[0].filter((pid) => state.waiting.delete(pid)).map((pid) => ({ pid, ended: true }));
    return Promise.resolve({ rows });
  };
  const logger = { warn: jest.fn() };
  return { state, logger, abandoned: new AbandonedSessions(() => ({ query }) as unknown as pg.Pool, logger) };
}

describe('sessions that were given up', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are ended once a connection is possible again', async () => {
    const { state, logger, abandoned } = server();
    state.waiting.add(7);
    state.rejections = 20;
    abandoned.add({ processID: 7 });
    await jest.advanceTimersByTimeAsync(25_000);
    expect([state.waiting.size, logger.warn.mock.calls]).toEqual([0, [[{ sessions: 1 }, expect.any(String)]]]);
    const { connections } = state;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(state.connections).toBe(connections);
  });

  it('are looked for with the time since they connected, because another session can have the number', async () => {
    const { state, abandoned } = server();
    const client = { processID: 7 };
    noteConnected(client);
    await jest.advanceTimersByTimeAsync(30_000);
    abandoned.add(client);
    await jest.advanceTimersByTimeAsync(0);
    expect(state.requests).toEqual([[[7], [30]]]);
  });

  it('are not looked for any longer when no connection succeeds for minutes', async () => {
    const { state, abandoned } = server();
    state.rejections = Infinity;
    abandoned.add({ processID: 7 });
    await jest.advanceTimersByTimeAsync(610_000);
    const { connections } = state;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(state.connections).toBe(connections);
  });
});
