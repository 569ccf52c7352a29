import type pg from 'pg';
import { query as ask, withoutTriggers } from './database.js';
import type { TestService } from './service.js';

export const DAY_MS = 86_400_000;

/** A time in the future, in the format of requests. */
export const inFuture = (ms: number) => new Date(Date.now() + ms).toISOString();

export const NEXT_YEAR = inFuture(365 * DAY_MS);

/** Functions for tests of reservations. */
export function reservationsOf(service: TestService) {
  const query = <T extends pg.QueryResultRow>(sql: string, values?: unknown[]) =>
    ask<T>(service.database.url, sql, values);
  return {
    query,
    reserve: (fields: object = {}, headers: Record<string, string> = {}) =>
      service.client.post(
        '/reservations',
        { namingAuthority: '100.102', count: 3, leaseUntil: NEXT_YEAR, ...fields },
        headers,
      ),
    /** Ends the lease of an identifier. */
    end: (identifier: string) =>
      ask(
        withoutTriggers(service.database.url),
        `UPDATE identifier SET lease_until = now() - interval '1 second' WHERE guid = $1::uuid`,
        [identifier.slice(8)],
      ),
    /** The kinds of the changes of an identifier, in order. */
    kinds: async (identifier: string): Promise<string[]> => {
      const rows = await query<{ kind: string }>(
        `SELECT c.kind FROM event c JOIN identifier i ON i.id = c.identifier_id WHERE i.guid = $1::uuid ORDER BY c.position, c.id`,
        [identifier.slice(8)],
      );
      return rows.map(({ kind }) => kind);
    },
  };
}
