import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { eventStream } from '../../src/events/event-stream.js';
import type { ChangePage, RecordedChange } from '../../src/record/change-reader.js';

const WANTED = { limit: 2, wants: null };

const change = (n: number): RecordedChange => ({
  position: BigInt(n),
  id: BigInt(n),
  namingAuthority: '100.102',
  identifier: null,
  version: n,
  kind: 'changed',
  at: new Date(0),
  client: 'test',
  keyId: null,
  patch: [{ op: 'replace', path: '/target', value: 'a\nb' }],
});
const page = (...numbers: number[]): ChangePage => ({
  changes: numbers.map(change),
  reached: change(numbers.at(-1) ?? 0),
  more: false,
});

/** A log whose next pieces are these; after them it stops, or has nothing more. */
function logOf(pieces: ChangePage[], isEndless = false) {
  const log = {
    asked: 0,
    isStopping: false,
    next: async (): Promise<ChangePage> => {
      log.asked += 1;
      const piece = pieces.shift();
      if (piece === undefined && !isEndless) log.isStopping = true;
      await pause(1);
      return piece ?? page(9);
    },
  };
  return log;
}

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const piece of stream) text += String(piece);
  return text;
}

describe('a stream of events', () => {
  it('writes each event with its cursor, its kind and one line of JSON, whatever the values hold', async () => {
    const text = await textOf(eventStream(logOf([]), page(1), WANTED, new AbortController().signal));
    const [retry, event] = text.split('\n\n');
    expect(retry).toBe('retry: 2000');
    const [id, kind, data, ...more] = event!.split('\n');
    expect([id, kind, more]).toEqual([`id: ${Buffer.from('1 1').toString('base64url')}`, 'event: changed', []]);
    expect(JSON.parse(data!.replace(/^data: /, ''))).toMatchObject({ version: 1, patch: [{ value: 'a\nb' }] });
  });

  it('sends a comment where there is no event, and how far it has read where that moved', async () => {
    const nothing = { changes: [], reached: change(1), more: false };
    const moved = { changes: [], reached: change(7), more: false };
    const text = await textOf(
      eventStream(logOf([nothing, moved, page(8)]), page(1), WANTED, new AbortController().signal),
    );
    const cursor = Buffer.from('7 7').toString('base64url');
    expect(text.split('\n\n').slice(2, 4)).toEqual([': ', `: \nid: ${cursor}`]);
  });

  it('reads no more of the log than a client takes', async () => {
    const log = logOf([], true);
    const stream = eventStream(log, page(1), WANTED, new AbortController().signal);
    const slow = new Writable({ highWaterMark: 1, write: () => {} });
    stream.pipe(slow);
    await pause(200);
    expect(log.asked).toBeLessThan(5);
    stream.destroy();
  });

  it('ends when the client hangs up', async () => {
    const hungUp = new AbortController();
    const reading = textOf(eventStream(logOf([], true), page(1), WANTED, hungUp.signal));
    await pause(20);
    hungUp.abort();
    expect(await reading).toContain('event: changed');
  });
});
