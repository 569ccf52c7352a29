import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { SessionSettings, poolSettings } from '../../src/database/session-settings.js';

/** A session that rejects statements with these words, and the received statements. */
function session(rejected: RegExp, code = '42704') {
  const received: string[] = [];
  const query = (text: string) => {
    received.push(text);
    if (!rejected.test(text)) return Promise.resolve({ rows: [] });
    const error = new pg.DatabaseError('unrecognized configuration parameter', 0, 'error');
    error.code = code;
    return Promise.reject(error);
  };
  return { received, session: { query } as unknown as pg.ClientBase };
}

function settings(optional: readonly string[]) {
  const warnings: object[] = [];
  const synchronousCommit = poolSettings('auto').find(({ name }) => name === 'synchronous_commit');
  const all = [
    synchronousCommit!,
    ...optional.map((text) => ({ name: text.split(' = ')[0]!, value: text.split(' = ')[1]! })),
  ];
  return {
    warnings,
    settings: new SessionSettings(all, (setting, reason) => warnings.push({ setting, reason })),
  };
}

describe('the settings of a session', () => {
  it('switch just-in-time compilation off', () => {
    expect(poolSettings('auto')).toContainEqual({ name: 'jit', value: 'off' });
  });

  it('are sent in one round trip', async () => {
    const { received, session: it } = session(/nothing/);
    await settings(['jit = off', 'a = 1']).settings.apply(it);
    expect(received).toEqual(['SET synchronous_commit = on; SET jit = off; SET a = 1']);
  });

  it('skip a rejected one with one warning, apply the others, and do not send it to later sessions', async () => {
    const first = session(/jit/);
    const { warnings, settings: applied } = settings(['jit = off', 'a = 1']);
    await applied.apply(first.session);
    expect(first.received.slice(1)).toEqual(['SET synchronous_commit = on', 'SET jit = off', 'SET a = 1']);
    expect(warnings).toEqual([{ setting: 'jit', reason: 'unrecognized configuration parameter' }]);
    const second = session(/jit/);
    await applied.apply(second.session);
    expect(second.received).toEqual(['SET synchronous_commit = on; SET a = 1']);
    expect(warnings).toHaveLength(1);
  });

  it('fail the session when a required one is rejected, or when the connection is at its end', async () => {
    const required = session(/synchronous_commit/, '42501');
    await expect(settings(['a = 1']).settings.apply(required.session)).rejects.toMatchObject({ code: '42501' });
    const ended = session(/a = 1/, '57P01');
    await expect(settings(['a = 1']).settings.apply(ended.session)).rejects.toMatchObject({ code: '57P01' });
    expect(ended.received).toHaveLength(1);
  });
});
