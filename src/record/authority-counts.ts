import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { STATES, type State } from './identifier-record.js';
import { LAPSED_SQL } from './rows.js';
import type { Queryable } from './transactions.js';

/** Up to so many identifiers are counted one by one. */
export const COUNTED_EXACTLY = 10_000;

/** How many there are. */
export interface Count {
  readonly value: number;
  /** False for an estimate, which is told from `COUNTED_EXACTLY` on. */
  readonly isExact: boolean;
}

/** How many identifiers of a naming authority are in each state. */
export type StateCounts = Readonly<Record<State, Count>>;

/** Conditions with the words that the partial index of what is not active asks for. */
const RESERVED = `i.state <> 'active' AND i.state = 'reserved' AND i.lease_until > CURRENT_TIMESTAMP`;
const LAPSED = `i.state <> 'active' AND ${LAPSED_SQL}`;
const WITHDRAWN = `i.state <> 'active' AND i.state = 'withdrawn'`;

/** The order is that of an index, so that the planner reads no other rows to find these. */
const bounded = (condition: string, order: string): string => `(SELECT count(*)::int FROM (
  SELECT FROM identifier i WHERE i.naming_authority = p.prefix AND ${condition}
  ORDER BY ${order} LIMIT ${COUNTED_EXACTLY + 1}) counted)`;

/** Counts of every prefix of a list, each up to one more than is counted exactly. */
export const COUNT_SQL = `
  SELECT p.prefix, ${bounded('true', 'i.created_at, i.id')} AS "all", ${bounded(RESERVED, 'i.lease_until')} AS reserved,
         ${bounded(WITHDRAWN, 'i.lease_until')} + ${bounded(LAPSED, 'i.lease_until')} AS withdrawn
  FROM unnest($1::text[]) AS p(prefix)`;

const ESTIMATE_SQL = 'EXPLAIN (FORMAT JSON) SELECT FROM identifier i WHERE i.naming_authority = $1 AND i.state = $2';

interface CountRow extends Readonly<Record<'all' | 'reserved' | 'withdrawn', number>> {
  readonly prefix: string;
}

/**
 * Counts the identifiers of naming authorities. No counter is kept, which every mint would have to wait for, and no more
 * rows are looked at than are counted exactly, however many there are: beyond, PostgreSQL's own statistics answer.
 */
@Injectable()
export class AuthorityCounts {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  /** @returns the counts of each prefix, in order; a prefix is spelled as it was created. */
  async count(prefixes: readonly string[], from: Queryable = this.pool): Promise<StateCounts[]> {
    const { rows } = await from.query<CountRow>(COUNT_SQL, [prefixes]);
    const found = new Map(rows.map((row) => [row.prefix, row]));
    const counts: StateCounts[] = [];
    for (const prefix of prefixes) {
      const { all, reserved, withdrawn } = found.get(prefix) ?? { all: 0, reserved: 0, withdrawn: 0 };
      const seen = { reserved, active: all - reserved - withdrawn, withdrawn };
      const beyond = { reserved, active: all, withdrawn };
      const entries = await inTurn(STATES, async (state): Promise<[State, Count]> => [
        state,
        beyond[state] <= COUNTED_EXACTLY
          ? { value: seen[state], isExact: true }
          : { value: Math.max(seen[state], await estimate(from, prefix, state)), isExact: false },
      ]);
      counts.push(Object.fromEntries(entries) as StateCounts);
    }
    return counts;
  }
}

/** What PostgreSQL expects to find; a reservation that lapsed counts as reserved until that is written down. */
async function estimate(from: Queryable, prefix: string, state: State): Promise<number> {
  const { rows } = await from.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(ESTIMATE_SQL, [
    prefix,
    state,
  ]);
  return rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}

/** One connection runs one query at a time. */
async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
