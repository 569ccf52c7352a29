import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { setPrincipal } from '../../../src/access/current-principal.js';
import { limitStreams } from '../../../src/access/limits/streams.js';
import { Principal } from '../../../src/access/principal.js';
import type { Problem } from '../../../src/problem/problem.js';

const MINTS = ['application/x-ndjson'];
const CHANGES = [...MINTS, 'text/csv'];

type Hook = (request: unknown, reply: unknown, payload: null, done: (error: Problem | null) => void) => void;

/** Opens streams; the result of each is "open" or the code of its problem. */
function limited() {
  let hook: Hook = () => {};
  limitStreams({ addHook: (_: string, added: Hook) => (hook = added) } as unknown as FastifyInstance);
  return (client: string, streams: readonly string[], response = new EventEmitter()): string => {
    const request = { raw: {}, routeOptions: { config: { streams } } };
    setPrincipal(request as never, new Principal('repository', client, ['mint'], null));
    let outcome = '';
    hook(request, { raw: response }, null, (error) => (outcome = error?.code ?? 'open'));
    return outcome;
  };
}

const times = (count: number, open: () => string) => Array.from({ length: count }, open);

describe('the streams of a client', () => {
  it('are at most 64 of bulk loads, and one that has ended makes room for another', () => {
    const open = limited();
    const first = new EventEmitter();
    expect(open('a', MINTS, first)).toBe('open');
    expect(times(64, () => open('a', MINTS))).toEqual([...times(63, () => 'open'), 'CONCURRENCY_LIMITED']);
    first.emit('close');
    expect(times(2, () => open('a', MINTS))).toEqual(['open', 'CONCURRENCY_LIMITED']);
  });

  it('are at most ten of imports or changes, which leave room for other clients', () => {
    const open = limited();
    const first = new EventEmitter();
    expect(open('a', CHANGES, first)).toBe('open');
    expect(times(10, () => open('a', CHANGES))).toEqual([...times(9, () => 'open'), 'CONCURRENCY_LIMITED']);
    expect(times(6, () => open('b', CHANGES))).toEqual([...times(5, () => 'open'), 'OVERLOADED']);
    expect(open('c', MINTS)).toBe('open');
    first.emit('close');
    expect(times(2, () => open('b', CHANGES))).toEqual(['open', 'OVERLOADED']);
  });
});
