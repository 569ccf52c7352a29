import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { Turns } from '../../src/handle-api/turns.js';

class Response extends EventEmitter {
  closed = false;
  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

describe('Turns', () => {
  it('gives turns in order, each when one before it has ended', async () => {
    const turns = new Turns(2, 10, 1000);
    const responses = [1, 2, 3, 4].map(() => new Response());
    const order: number[] = [];
    const taken = responses.map(async (response, index) => {
      expect(await turns.take(response)).toBe(true);
      order.push(index);
    });
    await Promise.all(taken.slice(0, 2));
    expect(order).toEqual([0, 1]);
    responses[1]?.close();
    await taken[2];
    expect(order).toEqual([0, 1, 2]);
    responses[0]?.close();
    await taken[3];
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it('refuses when too many wait, and after the longest wait, without losing a turn', async () => {
    const turns = new Turns(1, 1, 20);
    const first = new Response();
    expect(await turns.take(first)).toBe(true);
    const waiting = turns.take(new Response());
    expect(await turns.take(new Response())).toBe(false);
    expect(await waiting).toBe(false);
    first.close();
    expect(await turns.take(new Response())).toBe(true);
  });

  it('passes on the turn of a client that has gone', async () => {
    const turns = new Turns(1, 2, 1000);
    const first = new Response();
    await turns.take(first);
    const gone = new Response();
    const [second, third] = [turns.take(gone), turns.take(new Response())];
    gone.close();
    first.close();
    expect([await second, await third]).toEqual([true, true]);
  });
});
