import { Injectable } from '@nestjs/common';
import { MAX_PAGE_BYTES } from '../storage/statement.js';
import { ChangeReader, type RecordedChange } from '../storage/changes/change-reader.js';
import {
  LOG_END,
  LOG_START,
  type LogFilter,
  type LogOrder,
  type LogPageQuery,
  type LogPosition,
} from '../storage/changes/log-page.js';
import type { ChangeKind } from '../registry/change.js';
import { KeyValidity } from '../access/key-reads.js';
import { type Principal, requireActors } from '../access/principal.js';
import { requirePrefix } from '../registry/naming-authority.js';
import { Problem } from '../problem/problem.js';
import { EventCursors } from './event-cursors.js';
import { LogWatcher } from './log-watcher.js';

/** A search reads the log in growing parts. The first part suffices for readers near the end. */
const FIRST_READ = 101;
const READ_GROWTH = 10;
const MAX_PART = 10_000;

/** Maximum number of events that one request reads, matching or not. Filters have no index, because an index would slow each mint. */
const MAX_READ = 200_000;

/** Maximum duration of a search, in milliseconds, unless the request waits longer. */
const SEARCH_MS = 10_000;

/** The rights of a reader to see clients, and the values of identifiers that are withdrawn for legal reasons. */
export type Reader = Pick<Principal, 'seesActors' | 'curates'>;

export interface RequestedEvents {
  readonly limit: number;
  readonly sort: LogOrder;
  readonly namingAuthority?: string;
  readonly kind?: ChangeKind;
  readonly client?: string;
}

export interface LogQuery extends LogPageQuery {
  /** Revalidates the key before each page. @throws Problem UNAUTHENTICATED */
  readonly permit: () => Promise<void>;
  /** Runs each search of the log. A wait for events is not part of a search. */
  readonly inPlace: (search: () => Promise<ChangePage>) => Promise<ChangePage>;
  readonly isRestricted: boolean;
  readonly reader: Reader;
}

export interface ChangePage {
  readonly changes: readonly RecordedChange[];
  readonly reached: LogPosition;
  /** Whether the log has no further events now or, in reverse order, whether its beginning is reached. */
  readonly end: boolean;
}

const LATEST = 'latest';

@Injectable()
export class EventLog {
  constructor(
    private readonly reader: ChangeReader,
    private readonly watcher: LogWatcher,
    private readonly keys: KeyValidity,
    private readonly cursors: EventCursors,
  ) {}

  /** Combines the filter of a request with the rights of its principal. @throws Problem a syntax code, UNAUTHENTICATED or SCOPE_MISSING */
  queryOf(
    principal: Principal,
    { limit, sort: order, namingAuthority, kind, client }: RequestedEvents,
    inPlace: LogQuery['inPlace'],
  ): LogQuery {
    if (client !== undefined) requireActors(principal, 'client');
    const { hasRestrictedView: isRestricted } = principal;
    const wanted = {
      namingAuthorities: visibleOf(principal, namingAuthority),
      kind: kind ?? null,
      client: client ?? null,
    };
    const filter = Object.values(wanted).some((each) => each !== null) ? wanted : null;
    const permit = () => this.keys.require(principal);
    return { limit, order, filter, permit, inPlace, isRestricted, reader: principal };
  }

  /**
   * @param cursor absent for the beginning, or the end in reverse order; "latest" for the end.
   * @throws Problem INVALID_CURSOR at `pointer`
   */
  async startOf(cursor: string | undefined, order: LogOrder, pointer: string): Promise<LogPosition> {
    if (order === '-at' && (cursor === undefined || cursor === LATEST)) return LOG_END;
    return cursor === LATEST ? this.reader.head() : this.cursors.parsePosition(cursor, order, pointer);
  }

  get isStopping(): boolean {
    return this.watcher.isStopping;
  }

  /**
   * Reads the next page. A search for rare events ends after `MAX_READ` events, or after the longer of `waitMs` and `SEARCH_MS`. At the end
   * of the log, waits for an event for at most `waitMs` milliseconds.
   * @throws Problem UNAUTHENTICATED if the key is no longer valid, CURSOR_AHEAD if the log does not have the event at `after`.
   * @returns a page that can be empty after a timeout, a long search or a stop; its `reached` advances nevertheless.
   */
  async next(after: LogPosition, query: LogQuery, waitMs: number, hungUp: AbortSignal): Promise<ChangePage> {
    const end = performance.now() + waitMs;
    for (let reached = after; ;) {
      const start = reached;
      const page = await query.inPlace(() => this.search(start, query, end, hungUp));
      const waits = page.end && query.order === 'at' && page.changes.length === 0 && !this.isOver(end, hungUp);
      if (!waits) {
        await query.permit();
        return page;
      }
      reached = page.reached;
      await this.watcher.waitFor(reached, end - performance.now(), hungUp);
    }
  }

  private async search(after: LogPosition, query: LogQuery, end: number, hungUp: AbortSignal): Promise<ChangePage> {
    const { limit, order, filter } = query;
    const until = Math.max(end, performance.now() + SEARCH_MS);
    const changes: RecordedChange[] = [];
    let [reached, all, bytes] = [after, 0, 0];
    for (let reads = FIRST_READ; ; reads = Math.min(reads * READ_GROWTH, MAX_PART)) {
      const missing = limit - changes.length;
      const found = await this.reader.page(
        reached,
        { limit: missing, order, filter },
        filter === null ? Math.min(reads, missing + 1) : reads,
      );
      if (found === null) {
        await query.permit();
        throw await this.cursorAhead(reached, query);
      }
      changes.push(...found.changes);
      const head = found.end || reads > FIRST_READ ? null : await this.reader.headWithout(filter);
      reached = head === null ? found.reached : order === 'at' ? head : LOG_START;
      all += found.read;
      bytes += found.bytes;
      const isEnd = found.end || head !== null;
      const isFull = found.isFull || bytes > MAX_PAGE_BYTES;
      if (isEnd || isFull || all >= MAX_READ || this.isOver(until, hungUp)) return { changes, reached, end: isEnd };
    }
  }

  private isOver(time: number, hungUp: AbortSignal): boolean {
    return performance.now() >= time || hungUp.aborted || this.watcher.isStopping;
  }

  /** After a failover or a restore, the log can lack events that were read before. */
  private async cursorAhead(lost: LogPosition, { isRestricted }: LogQuery): Promise<Problem> {
    const next = this.cursors.reached(await this.reader.restart(lost), 'at', isRestricted);
    const detail =
      'The log does not have the event of the cursor, because the database went back to an earlier state. Start again at "next", which precedes everything that was lost. Events that you received after "next" and do not receive again were lost.';
    return new Problem('CURSOR_AHEAD', detail, { members: { next } });
  }
}

/** The requested naming authorities that a principal can see; null for all. @throws Problem with a syntax code */
function visibleOf(principal: Principal, prefix: string | undefined): LogFilter['namingAuthorities'] {
  if (prefix === undefined) return principal.visibleGrants;
  requirePrefix(prefix, '#query/namingAuthority');
  return principal.canSee(prefix) ? [{ namingAuthority: prefix, derived: false }] : [];
}
