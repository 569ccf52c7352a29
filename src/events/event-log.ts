import { Injectable } from '@nestjs/common';
import { type ChangePage, type ChangePlace, ChangeReader } from '../record/change-reader.js';
import { Tide } from './tide.js';

/** What a reader of the log wants. */
export interface Wanted {
  /** How many changes to answer at most. */
  readonly limit: number;
  /** Tells by its naming authority whether a change is wanted; null where all are. */
  readonly wants: ((namingAuthority: string) => boolean) | null;
}

/** The log as readers follow it. */
@Injectable()
export class EventLog {
  constructor(
    private readonly reader: ChangeReader,
    private readonly tide: Tide,
  ) {}

  get isStopping(): boolean {
    return this.tide.isStopping;
  }

  /**
   * The next piece of the log, waiting for it when the log has ended.
   * @param waitMs how long to wait at most until there is something to answer; 0 answers at once.
   * @param hungUp given when nobody wants the answer any more.
   * @returns an empty page when the time is up or the service stops; `reached` goes on all the same.
   */
  async next(after: ChangePlace, wanted: Wanted, waitMs: number, hungUp: AbortSignal): Promise<ChangePage> {
    const end = performance.now() + waitMs;
    const { limit, wants } = wanted;
    let page = await this.reader.page(after, limit, wants);
    while (page.changes.length === 0 && performance.now() < end && !hungUp.aborted && !this.isStopping) {
      if (!page.more) await this.tide.rise(page.reached, end - performance.now(), hungUp);
      page = await this.reader.page(page.reached, limit, wants);
    }
    return page;
  }
}
