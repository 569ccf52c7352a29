import { Injectable } from '@nestjs/common';
import { type ChangePage, type LogPosition, ChangeReader } from '../../storage/changes/change-reader.js';
import { KeyValidity } from '../../access/key-validity.js';
import type { Principal } from '../../access/principal.js';
import { namingAuthorityKey, parseNamingAuthority } from '../../identifier/index.js';
import { Problem, malformed } from '../../problem/problem.js';
import { EventCursors } from './event-cursors.js';
import { LogWatcher } from './log-watcher.js';

/** The filter and rights of a reader of the log. */
export interface LogQuery {
  readonly limit: number;
  /** Null for no filter. */
  readonly includes: ((namingAuthority: string) => boolean) | null;
  /** Revalidates the key before each page. @throws Problem UNAUTHENTICATED */
  readonly permit: () => Promise<void>;
  readonly isRestricted: boolean;
  readonly showsActors: boolean;
}

@Injectable()
export class EventLog {
  constructor(
    private readonly reader: ChangeReader,
    private readonly watcher: LogWatcher,
    private readonly keys: KeyValidity,
    private readonly cursors: EventCursors,
  ) {}

  /**
   * The log as a principal sees it, filtered by a naming authority if one is given.
   * @param pointer where the request has the naming authority.
   * @throws Problem with a syntax code
   */
  queryOf(principal: Principal, limit: number, namingAuthority: string | undefined, pointer: string): LogQuery {
    const { hasRestrictedView: isRestricted, seesActors: showsActors } = principal;
    const permit = () => this.keys.require(principal);
    return { limit, includes: filterFor(principal, namingAuthority, pointer), permit, isRestricted, showsActors };
  }

  get isStopping(): boolean {
    return this.watcher.isStopping;
  }

  /**
   * The next page; at the end of the log it waits for one, at most `waitMs` milliseconds (0 for none).
   * @param hungUp aborted when the client disconnects.
   * @throws Problem UNAUTHENTICATED when the key is no longer valid, CURSOR_AHEAD when the log does not have the event at `after`.
   * @returns an empty page after the time or at a stop; `reached` advances nevertheless.
   */
  async next(after: LogPosition, query: LogQuery, waitMs: number, hungUp: AbortSignal): Promise<ChangePage> {
    const end = performance.now() + waitMs;
    const { limit, includes, permit } = query;
    let [reached, page] = [after, await this.reader.page(after, limit, includes)];
    while (page?.changes.length === 0 && performance.now() < end && !hungUp.aborted && !this.isStopping) {
      reached = page.reached;
      if (!page.more) await this.watcher.waitFor(reached, end - performance.now(), hungUp);
      page = await this.reader.page(reached, limit, includes);
    }
    await permit();
    if (page === null) throw await this.cursorAhead(reached, query);
    return page;
  }

  /** After a failover or a restore the log may lack events that were read before. */
  private async cursorAhead(lost: LogPosition, { isRestricted }: LogQuery): Promise<Problem> {
    const next = this.cursors.reached(await this.reader.restart(lost), isRestricted);
    const detail =
      'The log does not have the event of the cursor, because the database went back to an earlier state. Start again at "next", before everything that was lost; what was received after it and does not come again was lost.';
    return new Problem('CURSOR_AHEAD', detail, { members: { next } });
  }
}

/** Tests each change, because a fixed list of naming authorities could be out of date. */
function filterFor(principal: Principal, prefix: string | undefined, pointer: string): LogQuery['includes'] {
  if (prefix === undefined)
    return principal.hasRestrictedView ? (namingAuthority) => principal.canSee(namingAuthority) : null;
  const read = parseNamingAuthority(prefix, 'handle');
  if (!read.ok) throw malformed(read.fault, pointer);
  const key = namingAuthorityKey(prefix);
  return (namingAuthority) => namingAuthorityKey(namingAuthority) === key && principal.canSee(namingAuthority);
}
