import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { InFlight } from '../../src/access/in-flight.js';

/** A response that ends when it is told to. */
const response = (closed = false) => Object.assign(new EventEmitter(), { closed }) as EventEmitter & ServerResponse;

describe('requests under way', () => {
  it('are as many as a client may have, and one more when one has ended', () => {
    const inFlight = new InFlight(2);
    const first = response();
    expect([first, response(), response()].map((one) => inFlight.enter('a', one))).toEqual([true, true, false]);
    first.emit('close');
    expect([response(), response()].map((one) => inFlight.enter('a', one))).toEqual([true, false]);
  });

  it('are counted for each client alone', () => {
    const inFlight = new InFlight(1);
    expect(['a', 'b', 'a'].map((client) => inFlight.enter(client, response()))).toEqual([true, true, false]);
  });

  it('do not hold what hung up before it was counted', () => {
    const inFlight = new InFlight(1);
    expect(inFlight.enter('a', response(true))).toBe(true);
    expect(inFlight.enter('a', response())).toBe(true);
  });

  it('have no bound of 0', () => {
    const inFlight = new InFlight(0);
    expect(Array.from({ length: 50 }, () => inFlight.enter('a', response()))).not.toContain(false);
  });
});
