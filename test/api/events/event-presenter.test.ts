import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { EventCursors } from '../../../src/history/event-cursors.js';
import { eventStream } from '../../../src/api/events/event-presenter.js';
import { Cursors } from '../../../src/http/cursor.js';
import { OPEN_ACCESS } from '../../../src/access/principal.js';
import type { ChangePage } from '../../../src/history/event-log.js';
import type { RecordedChange } from '../../../src/storage/changes/change-reader.js';

const LOG_QUERY = {
  ...({ limit: 2, order: 'at', filter: null } as const),
  ...{
    permit: async () => {},
    inPlace: (search: () => Promise<ChangePage>) => search(),
    isRestricted: false,
    reader: OPEN_ACCESS,
  },
};

const codec = new Cursors();
codec.useSecret(Buffer.alloc(32, 7));
const cursors = new EventCursors(codec);

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
  isLegal: false,
});
const page = (...numbers: number[]): ChangePage => ({
  changes: numbers.map(change),
  reached: change(numbers.at(-1) ?? 0),
  end: true,
});

/** A log with these pieces; after them it stops, or has no events. */
function logOf(pieces: ChangePage[], isEndless = false) {
  const log = {
    reads: 0,
    isStopping: false,
    next: async (): Promise<ChangePage> => {
      log.reads += 1;
      const piece = pieces.shift();
      if (piece === undefined && !isEndless) log.isStopping = true;
      await turn();
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
  it('writes each event with its cursor, its kind and one line of JSON, whatever the values contain', async () => {
    const text = await textOf(eventStream(logOf([]), page(1), LOG_QUERY, cursors, new AbortController().signal));
    const [retry, event] = text.split('\n\n');
    expect(retry).toBe('retry: 2000');
    const [id, kind, data, ...more] = event!.split('\n');
    expect([id, kind, more]).toEqual([`id: ${cursors.idOf(change(1))}`, 'event: changed', []]);
    expect(JSON.parse(data!.replace(/^data: /, ''))).toMatchObject({ version: 1, patch: [{ value: 'a\nb' }] });
  });

  it('sends a comment where there is no event, and how far it has read where that moved', async () => {
    const nothing = { changes: [], reached: change(1), end: true };
    const moved = { changes: [], reached: change(7), end: true };
    const text = await textOf(
      eventStream(logOf([nothing, moved, page(8)]), page(1), LOG_QUERY, cursors, new AbortController().signal),
    );
    const cursor = cursors.idOf(change(7));
    expect(text.split('\n\n').slice(2, 4)).toEqual([': ', `: \nid: ${cursor}`]);
  });

  it('sends a reader that sees part of the log an id with each comment, never the same twice', async () => {
    const nothing = { changes: [], reached: change(1), end: true };
    const wanted = { ...LOG_QUERY, isRestricted: true };
    const text = await textOf(
      eventStream(logOf([nothing, nothing]), page(1), wanted, cursors, new AbortController().signal),
    );
    const [first, second] = text.split('\n\n').slice(2, 4);
    const places = [first, second].map((comment) => cursors.parsePosition(comment!.replace(': \nid: ', ''), 'at', ''));
    expect(places).toEqual([
      { position: 1n, id: 1n },
      { position: 1n, id: 1n },
    ]);
    expect(first).not.toBe(second);
  });

  it('reads the log as the client reads, at most two pages ahead', async () => {
    const log = logOf([], true);
    const stream = eventStream(log, page(1), LOG_QUERY, cursors, new AbortController().signal);
    const client = stream[Symbol.asyncIterator]();
    for (let received = 1; received <= 20; received++) {
      expect((await client.next()).done).toBe(false);
      for (let turns = 0; turns < 20; turns++) await turn();
      expect(log.reads).toBeLessThanOrEqual(received + 1);
      expect(log.reads).toBeGreaterThanOrEqual(received - 1);
    }
    stream.destroy();
  });

  it('ends when the client hangs up, and not before', async () => {
    const hungUp = new AbortController();
    const log = logOf([], true);
    let isOver = false;
    const reading = textOf(eventStream(log, page(1), LOG_QUERY, cursors, hungUp.signal)).then((text) => {
      isOver = true;
      return text;
    });
    while (log.reads < 20) await turn();
    expect(isOver).toBe(false);
    hungUp.abort();
    expect((await reading).split('event: changed').length).toBeGreaterThanOrEqual(20);
    expect(log.reads).toBeLessThanOrEqual(22);
  });
});
