import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimiter } from '../../../src/access/limits/concurrency-limiter.js';

/** A response that the test ends. */
const response = (closed = false) => Object.assign(new EventEmitter(), { closed }) as EventEmitter & ServerResponse;

describe('requests under way', () => {
  it('are as many as a client may have, and one more when one has ended', () => {
    const inFlight = new ConcurrencyLimiter(2);
    const first = response();
    expect([first, response(), response()].map((one) => inFlight.acquire('a', one))).toEqual([true, true, false]);
    first.emit('close');
    expect([response(), response()].map((one) => inFlight.acquire('a', one))).toEqual([true, false]);
  });

  it('are counted for each client alone', () => {
    const inFlight = new ConcurrencyLimiter(1);
    expect(['a', 'b', 'a'].map((client) => inFlight.acquire(client, response()))).toEqual([true, true, false]);
  });

  it('do not count a request that disconnected before', () => {
    const inFlight = new ConcurrencyLimiter(1);
    expect(inFlight.acquire('a', response(true))).toBe(true);
    expect(inFlight.acquire('a', response())).toBe(true);
  });

  it('have no bound of 0', () => {
    const inFlight = new ConcurrencyLimiter(0);
    expect(Array.from({ length: 50 }, () => inFlight.acquire('a', response()))).not.toContain(false);
  });
});
