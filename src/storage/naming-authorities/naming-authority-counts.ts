import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { databaseProblem } from '../../problem/database-errors.js';
import { STATES, type State } from '../../registry/identifier-record.js';
import { Batcher } from '../batcher.js';
import { type Count, estimatedRows } from '../statement.js';
import type { Queryable } from '../transactions.js';

/** Above this number, counts are estimates. */
const COUNTED_EXACTLY = 10_000;

export type StateCounts = Readonly<Record<State, Count>>;

/**
 * $1: prefixes; $2: the largest count. The conditions are ranges of an index and compare whole rows in the order of its columns, which
 * leaves the planner no other index. With a condition on the naming authority alone, the planner would read the whole table if most
 * identifiers belong to one naming authority.
 */
export const COUNT = `
  SELECT p.prefix, p.id,
    (SELECT count(*)::int FROM (
       SELECT FROM identifier i
       WHERE i.id > 0 AND i.naming_authority_id >= p.id AND i.naming_authority_id <= p.id
       ORDER BY i.naming_authority_id, i.created_at, i.id LIMIT $2) every_state) AS "all",
    (SELECT count(*)::int FROM (
       SELECT FROM identifier i
       WHERE i.state <> 'active'
         AND (i.naming_authority_id, i.state, i.lease_until) > (p.id, 'reserved', CURRENT_TIMESTAMP)
         AND (i.naming_authority_id, i.state) <= (p.id, 'reserved')
       ORDER BY i.naming_authority_id, i.state, i.lease_until LIMIT $2) reserved) AS reserved,
    (SELECT count(*)::int FROM (
       SELECT FROM identifier i
       WHERE i.state <> 'active'
         AND (i.naming_authority_id, i.state) >= (p.id, 'withdrawn')
         AND (i.naming_authority_id, i.state) <= (p.id, 'withdrawn')
       ORDER BY i.naming_authority_id, i.state, i.lease_until LIMIT $2) withdrawn)
    + (SELECT count(*)::int FROM (
       SELECT FROM identifier i
       WHERE i.state <> 'active'
         AND (i.naming_authority_id, i.state) >= (p.id, 'reserved')
         AND (i.naming_authority_id, i.state, i.lease_until) <= (p.id, 'reserved', CURRENT_TIMESTAMP)
       ORDER BY i.naming_authority_id, i.state, i.lease_until LIMIT $2) expired) AS withdrawn
  FROM naming_authority p WHERE p.prefix = ANY($1::text[])`;

interface CountRow extends Readonly<Record<'all' | 'reserved' | 'withdrawn', number>> {
  readonly id: number;
  readonly prefix: string;
}

/** Requests for one prefix share a statement, and so do lists. The batch is limited, because it can read 10,000 rows for each prefix. */
const SINGLES = { maxBatchSize: 100, maxConcurrentBatches: 2, maxQueueLength: 10_000 };

const LISTS = { ...SINGLES, maxBatchSize: 4 };

/** Counts identifiers. No counter is stored, because it would serialize mints; above a limit, PostgreSQL's statistics give an estimate. */
@Injectable()
export class NamingAuthorityCounts {
  private readonly singles = new Batcher<readonly string[], StateCounts[]>((lists) => this.countLists(lists), SINGLES);
  private readonly lists = new Batcher<readonly string[], StateCounts[]>((lists) => this.countLists(lists), LISTS);

  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  /** Counts in the order of `prefixes`. @param transaction its changes are counted; without it, concurrent requests share the count. */
  async count(prefixes: readonly string[], transaction?: Queryable): Promise<StateCounts[]> {
    if (transaction !== undefined) return countAll(transaction, prefixes);
    if (prefixes.length === 0) return [];
    return (prefixes.length === 1 ? this.singles : this.lists).add(prefixes);
  }

  /** If the statement times out, each list is counted separately. */
  private async countLists(lists: readonly (readonly string[])[]): Promise<(StateCounts[] | Error)[]> {
    const distinct = [...new Set(lists.flat())];
    try {
      const counts = await countAll(this.pool, distinct);
      const byPrefix = new Map(distinct.map((prefix, index) => [prefix, counts[index]]));
      return lists.map((list) => list.flatMap((prefix) => byPrefix.get(prefix) ?? []));
    } catch (error) {
      if (lists.length === 1 || databaseProblem(error)?.code !== 'STATEMENT_TIMEOUT') throw error;
      return (await inTurn(lists, (list) => this.countLists([list]).catch(errorsOf))).flat();
    }
  }
}

function errorsOf(error: unknown): Error[] {
  return [error instanceof Error ? error : new Error(String(error))];
}

async function countAll(from: Queryable, prefixes: readonly string[]): Promise<StateCounts[]> {
  const { rows } = await from.query<CountRow>(COUNT, [prefixes, COUNTED_EXACTLY + 1]);
  const found = new Map(rows.map((row) => [row.prefix, row]));
  const text = 'SELECT FROM identifier i WHERE i.naming_authority_id = $1 AND i.state = $2';
  return inTurn(prefixes, async (prefix) => {
    const { id, all, reserved, withdrawn } = found.get(prefix) ?? { id: 0, all: 0, reserved: 0, withdrawn: 0 };
    const seen = { reserved, active: all - reserved - withdrawn, withdrawn };
    const beyond = { reserved, active: all, withdrawn };
    const entries = await inTurn(STATES, async (state): Promise<[State, Count]> => [
      state,
      beyond[state] <= COUNTED_EXACTLY
        ? { value: seen[state], isExact: true }
        : // The estimate counts unrecorded expiries as reserved.
          { value: Math.max(seen[state], await estimatedRows(from, { text, values: [id, state] })), isExact: false },
    ]);
    return Object.fromEntries(entries) as StateCounts;
  });
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
