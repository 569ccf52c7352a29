import { Readable } from 'node:stream';
import type { ChangePage, ChangePlace } from '../record/change-reader.js';
import { isBehind } from '../record/change-reader.js';
import { logCursor } from './cursor.js';
import { eventOf } from './event.dto.js';
import type { EventLog, Wanted } from './event-log.js';

/** After so long without an event a comment is sent, so that proxies and clients see that the stream lives. */
const HEARTBEAT_MS = 15_000;

/**
 * So long a stream lasts at most. The client connects again by itself, and a key that was revoked ends with it.
 */
const LONGEST_MS = 600_000;

/** How long a client waits before it connects again, in milliseconds. */
const RETRY_MS = 2000;

/**
 * The log as server-sent events (HTML Living Standard 9.2). The next piece is read when the client has taken the one
 * before, so a slow client costs no memory. It ends when the client hangs up, the service stops,
 * or ten minutes are over.
 * @param first the first piece, which is read before, so that what goes wrong with it is still answered as a problem.
 */
export function eventStream(
  log: Pick<EventLog, 'next' | 'isStopping'>,
  first: ChangePage,
  wanted: Wanted,
  hungUp: AbortSignal,
  heartbeatMs = HEARTBEAT_MS,
): Readable {
  // One piece waits to be taken, not the sixteen of Node's default.
  return Readable.from(pieces(log, first, wanted, hungUp, heartbeatMs), { highWaterMark: 1 });
}

async function* pieces(
  log: Pick<EventLog, 'next' | 'isStopping'>,
  first: ChangePage,
  wanted: Wanted,
  hungUp: AbortSignal,
  heartbeatMs: number,
): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n\n${written(first)}`;
  const end = performance.now() + LONGEST_MS;
  let told = first.reached;
  while (!hungUp.aborted && !log.isStopping && performance.now() < end) {
    const page = await log.next(told, wanted, heartbeatMs, hungUp);
    yield page.changes.length > 0 ? written(page) : heartbeat(told, page.reached);
    told = page.reached;
  }
}

function written({ changes }: ChangePage): string {
  return changes
    .map(eventOf)
    .map((event) => `id: ${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

/** A comment, and how far the log was read where it held nothing that is wanted: an id without data is no event. */
function heartbeat(told: ChangePlace, reached: ChangePlace): string {
  return isBehind(reached, told) ? `: \nid: ${logCursor(reached)}\n\n` : ': \n\n';
}
