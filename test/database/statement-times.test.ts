import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { timeStatements } from '../../src/database/statement-times.js';

type Callback = (error: Error | null, result?: string) => void;

/** A session whose statements take 50 ms, with a promise or a callback as those of `pg`. */
function timedSession(error: Error | null) {
  const times: number[] = [];
  const client = {
    query: (_text: string, callback?: Callback): Promise<string> | undefined => {
      const ended = pause(50).then(() => {
        if (error !== null) throw error;
        return 'rows';
      });
      if (callback === undefined) return ended;
      void ended.then(
        (result) => {
          callback(null, result);
        },
        callback as (reason: unknown) => void,
      );
      return undefined;
    },
  };
  timeStatements(client as unknown as pg.PoolClient, (seconds) => times.push(seconds));
  const send = {
    promise: () => client.query('SELECT 1') ?? Promise.reject(new Error('no promise')),
    callback: () =>
      new Promise<string | undefined>((resolve, reject) => {
        void client.query('SELECT 1', (reason, result) => {
          if (reason === null) resolve(result);
          else reject(reason);
        });
      }),
  };
  return { send, times };
}

describe('the time of a statement', () => {
  it.each(['promise', 'callback'] as const)('is that to the result, which a %s still has', async (kind) => {
    const { send, times } = timedSession(null);
    expect(await send[kind]()).toBe('rows');
    expect(times).toEqual([expect.any(Number)]);
    expect(times[0]).toBeGreaterThan(0.04);
    expect(times[0]).toBeLessThan(2);
  });

  it.each(['promise', 'callback'] as const)(
    'is counted for one that fails, and a %s still has the error',
    async (kind) => {
      const { send, times } = timedSession(new Error('57014'));
      await expect(send[kind]()).rejects.toThrow('57014');
      expect(times).toHaveLength(1);
    },
  );
});

/** A session whose statements never end, with the members that `pg.Client` has while one runs. */
function stalledSession(limitMs: number) {
  let active: { callback: (error: Error) => void; handleError: (error: Error) => void } | null = null;
  const connectionParameters: { query_timeout: number | false } = { query_timeout: limitMs };
  const client = {
    connectionParameters,
    connection: {},
    _getActiveQuery: () => active,
    query: (_query: unknown) =>
      new Promise((_resolve, reject) => {
        active = { callback: reject, handleError: reject };
      }),
  };
  timeStatements(client as unknown as pg.PoolClient, () => {}, limitMs);
  return client;
}

describe('the limit of a statement', () => {
  it('ends the wait with the error of pg, whose own timers are off', async () => {
    const client = stalledSession(100);
    expect(client.connectionParameters.query_timeout).toBe(false);
    const began = performance.now();
    await expect(client.query('SELECT 1')).rejects.toThrow('Query read timeout');
    expect(performance.now() - began).toBeGreaterThan(95);
  });

  it('does not apply to a statement with its own', async () => {
    const client = stalledSession(50);
    const ended = client.query({ text: 'COMMIT', query_timeout: 10_000 }).then(
      () => 'ended',
      () => 'ended',
    );
    expect(await Promise.race([ended, pause(200).then(() => 'waits')])).toBe('waits');
  });
});
