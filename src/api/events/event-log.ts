import { Injectable } from '@nestjs/common';
import { type ChangePage, type LogPosition, ChangeReader } from '../../storage/changes/change-reader.js';
import { LogWatcher } from './log-watcher.js';

/** The filter and rights of a reader of the log. */
export interface LogQuery {
  readonly limit: number;
  /** Filters changes by naming authority; null for no filter. */
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
  ) {}

  get isStopping(): boolean {
    return this.watcher.isStopping;
  }

  /**
   * Returns the next page, and waits for one at the end of the log.
   * @param waitMs maximum time to wait; 0 for none.
   * @param hungUp aborted when the client disconnects.
   * @throws Problem UNAUTHENTICATED when the key is no longer valid.
   * @returns an empty page after the time or at a stop; `reached` advances nevertheless.
   */
  async next(after: LogPosition, query: LogQuery, waitMs: number, hungUp: AbortSignal): Promise<ChangePage> {
    const end = performance.now() + waitMs;
    const { limit, includes, permit } = query;
    let page = await this.reader.page(after, limit, includes);
    while (page.changes.length === 0 && performance.now() < end && !hungUp.aborted && !this.isStopping) {
      if (!page.more) await this.watcher.waitFor(page.reached, end - performance.now(), hungUp);
      page = await this.reader.page(page.reached, limit, includes);
    }
    await permit();
    return page;
  }
}
