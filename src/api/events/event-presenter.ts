import { withoutLegalOperations } from '../../registry/lifecycle.js';
import type { RecordedChange } from '../../storage/changes/change-reader.js';
import type { ChangeDto, EventDto } from './event.dto.js';
import type { EventCursors } from '../../history/event-cursors.js';
import { Readable } from 'node:stream';
import { problemDocument } from '../../problem/problem-document.dto.js';
import { Problem } from '../../problem/problem.js';
import { type LogPosition, isAfter } from '../../storage/changes/log-page.js';
import type { ChangePage, EventLog, LogQuery, Reader } from '../../history/event-log.js';

export function changeDtoOf(change: RecordedChange, reader: Reader): ChangeDto {
  const { version, kind, at, patch, isLegal, namingAuthority } = change;
  const { client, keyId } = reader.seesActors ? change : { client: null, keyId: null };
  const shown = isLegal && !reader.curates(namingAuthority) ? withoutLegalOperations(patch) : [...patch];
  return { version, kind, at: at.toISOString(), client, keyId, patch: shown };
}

export function eventOf(change: RecordedChange, reader: Reader, cursors: EventCursors): EventDto {
  const { namingAuthority, identifier } = change;
  return { id: cursors.idOf(change), namingAuthority, identifier, ...changeDtoOf(change, reader) };
}

const PATH = '/events';

const HEARTBEAT_MS = 15_000;

const LONGEST_MS = 600_000;

const RETRY_MS = 2000;

/**
 * The log as server-sent events (HTML Living Standard 9.2). A problem ends the stream with an event "problem".
 * @param first the first page, which the caller reads so that its errors set the status.
 */
export function eventStream(
  log: Pick<EventLog, 'next' | 'isStopping'>,
  first: ChangePage,
  query: LogQuery,
  cursors: EventCursors,
  hungUp: AbortSignal,
  heartbeatMs = HEARTBEAT_MS,
): Readable {
  // Buffer one page instead of Node's default of sixteen.
  return Readable.from(pieces(log, first, query, cursors, hungUp, heartbeatMs), { highWaterMark: 1 });
}

async function* pieces(
  log: Pick<EventLog, 'next' | 'isStopping'>,
  first: ChangePage,
  query: LogQuery,
  cursors: EventCursors,
  hungUp: AbortSignal,
  heartbeatMs: number,
): AsyncGenerator<string> {
  // A client that loses the connection before the first event resumes here instead of at its own cursor.
  const start = `id: ${cursors.reached(first.reached, 'at', query.isRestricted)}\n\n`;
  yield `retry: ${RETRY_MS}\n${first.changes.length > 0 ? `\n${written(first, query, cursors)}` : start}`;
  const end = performance.now() + LONGEST_MS;
  let sent = first.reached;
  while (!hungUp.aborted && !log.isStopping && performance.now() < end) {
    let page: ChangePage;
    try {
      page = await log.next(sent, query, heartbeatMs, hungUp);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      yield `event: problem\ndata: ${JSON.stringify(problemDocument(error, PATH))}\n\n`;
      return;
    }
    yield page.changes.length > 0 ? written(page, query, cursors) : heartbeat(sent, page.reached, query, cursors);
    sent = page.reached;
  }
}

function written({ changes }: ChangePage, { reader }: LogQuery, cursors: EventCursors): string {
  return changes
    .map((change) => eventOf(change, reader, cursors))
    .map((event) => `id: ${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

/** A restricted reader gets an ID with every heartbeat, because an occasional ID would reveal writes that the reader may not see. */
function heartbeat(sent: LogPosition, reached: LogPosition, { isRestricted }: LogQuery, cursors: EventCursors): string {
  const hasId = isRestricted || isAfter(reached, sent);
  return hasId ? `: \nid: ${cursors.reached(reached, 'at', isRestricted)}\n\n` : ': \n\n';
}
