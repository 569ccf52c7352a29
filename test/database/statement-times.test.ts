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
