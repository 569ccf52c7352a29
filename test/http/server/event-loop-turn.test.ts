import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { atEndOfTurn } from '../../../src/http/server/event-loop-turn.js';

describe('the end of a turn of the event loop', () => {
  it('is awaited by the second function of a turn, and by all of the turn after it', async () => {
    const runs: string[] = [];
    atEndOfTurn(() => runs.push('first'));
    atEndOfTurn(() => runs.push('second'));
    expect(runs).toEqual(['first']);
    await nextTurn();
    expect(runs).toEqual(['first', 'second']);
    atEndOfTurn(() => runs.push('third'));
    expect(runs).toEqual(['first', 'second']);
    await nextTurn();
    expect(runs).toEqual(['first', 'second', 'third']);
    await nextTurn();
    atEndOfTurn(() => runs.push('fourth'));
    expect(runs).toEqual(['first', 'second', 'third', 'fourth']);
  });
});
