import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from './client.js';

/** An event, as a consumer receives it. */
export interface SeenEvent {
  readonly id: string;
  readonly kind: string;
  readonly namingAuthority: string;
  readonly identifier: string | null;
  readonly version: number;
  readonly patch: readonly { op: string; path: string; value: unknown }[];
}

/** Reads the log from a cursor to its current end. */
export async function readLog(
  client: Client,
  after?: string,
  query: Record<string, string> = {},
): Promise<{ events: SeenEvent[]; next: string }> {
  const events: SeenEvent[] = [];
  for (let next = after; ;) {
    const parameters = new URLSearchParams({ limit: '100', ...query, ...(next === undefined ? {} : { cursor: next }) });
    const { body } = await client.get(`/events?${parameters.toString()}`);
    events.push(...(body.items as SeenEvent[]));
    next = body.next as string;
    if (body.end === true) return { events, next };
  }
}

/** As `readLog`, until there are `count` events: other transactions of the database delay them. */
export async function untilRead(client: Client, count: number, after?: string): Promise<SeenEvent[]> {
  for (;;) {
    const { events } = await readLog(client, after);
    if (events.length >= count) return events;
    await pause(20);
  }
}

/**
 * Follows the log by long polls until it is stopped and has read the end of the log. Other transactions of the database
 * delay the log, so the end is not read before a number of events, if that is known.
 */
export function followLog(client: Client, after?: string): { stop(atLeast?: number): Promise<SeenEvent[]> } {
  const state = { stopping: false, atLeast: 0 };
  const following = (async () => {
    const events: SeenEvent[] = [];
    for (let next = after; ;) {
      const parameters = new URLSearchParams({ limit: '37', wait: state.stopping ? '0' : '1' });
      if (next !== undefined) parameters.set('cursor', next);
      const wasStopping = state.stopping;
      const { body } = await client.get(`/events?${parameters.toString()}`);
      events.push(...(body.items as SeenEvent[]));
      if (body.end === true && wasStopping && events.length >= state.atLeast) return events;
      next = body.next as string;
    }
  })();
  return {
    stop: (atLeast = 0) => {
      Object.assign(state, { stopping: true, atLeast });
      return following;
    },
  };
}
