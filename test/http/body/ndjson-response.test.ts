import { setImmediate as nextTurn } from 'node:timers/promises';
import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { readItem } from '../../../src/api/minting/batch.dto.js';
import { respondInLines } from '../../../src/http/body/ndjson-response.js';
import { inOwnTurns } from '../../../src/http/body/own-turn.js';
import { ResponseSpool } from '../../../src/http/body/response-spool.js';
import { StreamedBody } from '../../../src/http/body/streamed-body.js';
import { openLines } from '../../../src/http/lines/line-source.js';

const STREAMS = 20;
const LINES = 300;
const BAD = `${JSON.stringify({ namingAuthority: 1, target: 2, guid: 3, colour: 4 })}\n`;

it('streams of bad lines, blank ones included, share no turn of the event loop', async () => {
  let turn = 0;
  const over = new AbortController();
  const counting = (async () => {
    for (; !over.signal.aborted; turn++) await nextTurn();
  })();
  const streamsOf = new Map<number, Set<number>>();
  const note = (stream: number) => streamsOf.set(turn, (streamsOf.get(turn) ?? new Set()).add(stream));
  const never = new AbortController().signal;
  const spool = new ResponseSpool(1_000_000_000);

  async function serve(stream: number): Promise<number> {
    const bytes = Object.assign(new PassThrough({ highWaterMark: 1_000_000 }), { complete: true });
    bytes.end(`\n${BAD}`.repeat(LINES));
    const received = bytes.read.bind(bytes);
    // Lines are cut as soon as their bytes are read.
    bytes.read = (size?: number) => {
      const some = received(size);
      if (some !== null) note(stream);
      return some;
    };
    const body = new StreamedBody('application/x-ndjson', bytes as never, { stopping: never, halfOver: never }, spool);
    const next = await openLines(body, 100);
    const results = respondInLines(body, {
      path: '/test',
      read: async () => {
        const lines = await next();
        return lines && inOwnTurns(lines, ({ value }) => (note(stream), readItem(value())));
      },
      permit: async () => {},
      work: (items) => {
        const results = items.map(({ request }) => ({
          status: 400,
          toJSON: () => (note(stream), (request as Error).message),
        }));
        return Promise.resolve([results]);
      },
      lastLine: () => 0,
      log: { failed: () => {}, lineFailed: () => {} },
      hasSummary: false,
    });
    let text = '';
    for await (const piece of results) text += piece.toString();
    return text.split('\n').filter((line) => line.includes('/colour')).length;
  }

  const counts = await Promise.all(Array.from({ length: STREAMS }, async (_, stream) => serve(stream)));
  over.abort();
  await counting;
  expect(counts).toEqual(Array(STREAMS).fill(LINES));
  expect(Math.max(...[...streamsOf.values()].map(({ size }) => size))).toBe(1);
});

it('logs nothing if the client closes the connection after the whole body, before the body is read', async () => {
  const aborted = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  const bytes = Object.assign(new PassThrough(), { complete: true });
  const never = new AbortController().signal;
  const stops = { stopping: never, halfOver: never };
  const body = new StreamedBody('application/x-ndjson', bytes as never, stops, new ResponseSpool(1_000_000));
  const next = await openLines(body, 100);
  const failures: unknown[] = [];
  const results = respondInLines(body, {
    path: '/test',
    read: next,
    permit: async () => {},
    work: () => Promise.resolve([]),
    lastLine: () => 0,
    log: { failed: (error) => failures.push(error), lineFailed: () => {} },
    hasSummary: false,
  });
  bytes.destroy(aborted);
  for await (const piece of results) expect(piece).toBeUndefined();
  expect(failures).toEqual([]);
});
