import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { HOT_POOL } from '../database/pool.js';
import { type Resolver, namingAuthorityKey } from '../identifier/index.js';
import { Problem } from '../problem/problem.js';
import { AUTHORITY_COLUMNS_SQL, type AuthorityRow, authorityOf } from './authority-rows.js';
import { KnownAuthorities } from './known-authorities.js';
import type { NamingAuthority } from './naming-authority.js';
import { RESOLVER } from './rendering.module.js';

/**
 * How old what is known may be, in milliseconds. Nothing that must be exact rests on it: the statement that mints compares
 * the version of the naming authority with its row.
 */
const MAX_AGE_MS = 1000;

/** Clocks of transactions differ, and a change is seen only when it is committed: so far back is read again. */
const OVERLAP_MS = 60_000;

const CHANGED = `SELECT ${AUTHORITY_COLUMNS_SQL} FROM naming_authority n WHERE n.updated_at >= $1`;

/** Knows the naming authorities without asking the database for each request; only changed rows are read again. */
@Injectable()
export class NamingAuthorities {
  private readonly rows = new Map<string, NamingAuthority>();
  private known: { readonly at: number; readonly value: KnownAuthorities } | null = null;
  private refreshing: Promise<KnownAuthorities> | null = null;

  constructor(
    @Inject(HOT_POOL) private readonly pool: pg.Pool,
    @Inject(RESOLVER) private readonly resolver: Resolver,
  ) {}

  /** The naming authorities, at most a second old. */
  async current(): Promise<KnownAuthorities> {
    if (this.known !== null && Date.now() - this.known.at < MAX_AGE_MS) return this.known.value;
    return this.refresh();
  }

  /**
   * Reads them anew: what is committed when this is called is known when it returns.
   * @param which all of them also finds what was changed by hand, which left no time of its change.
   */
  async refresh(which: 'changed' | 'all' = 'changed'): Promise<KnownAuthorities> {
    // A reading that has begun may have missed what the caller knows of; the next one has not.
    if (this.refreshing !== null) await this.refreshing.catch(() => null);
    this.refreshing ??= this.read(which).finally(() => (this.refreshing = null));
    return this.refreshing;
  }

  /**
   * The naming authorities as `current` knows them, read anew when one of these mints nothing by that: it may have been
   * created or activated since, by another process too.
   */
  async currentFor(prefixes: readonly string[]): Promise<KnownAuthorities> {
    const known = await this.current();
    const isActive = (prefix: string): boolean => known.find(prefix)?.status === 'active';
    return prefixes.every(isActive) ? known : this.refresh();
  }

  /**
   * Looks for something by what is known, and once more where it was refused and naming authorities have changed meanwhile:
   * another process may have created one, or changed its resolver, a moment ago.
   */
  async lookUp<T>(work: (known: KnownAuthorities) => Promise<T>): Promise<T> {
    const known = await this.current();
    try {
      return await work(known);
    } catch (error) {
      const fresh = error instanceof Problem ? await this.refresh() : known;
      if (fresh === known) throw error;
      return work(fresh);
    }
  }

  /** @throws Problem UNKNOWN_NAMING_AUTHORITY or SUSPENDED_NAMING_AUTHORITY when nothing may be minted under it. */
  async requireActive(prefix: string, pointer?: string): Promise<NamingAuthority> {
    return activeIn(await this.currentFor([prefix]), prefix, pointer);
  }

  private async read(which: 'changed' | 'all'): Promise<KnownAuthorities> {
    const at = Date.now();
    const newest = [...this.rows.values()].reduce((latest, { updatedAt }) => Math.max(latest, updatedAt.getTime()), 0);
    const since = newest === 0 || which === 'all' ? '-infinity' : new Date(newest - OVERLAP_MS).toISOString();
    const { rows } = await this.pool.query<AuthorityRow>({
      name: 'changed-authorities',
      text: CHANGED,
      values: [since],
    });
    const changed = rows.filter((row) => {
      const known = this.rows.get(namingAuthorityKey(row.prefix));
      return known?.version !== row.version || known.status !== row.status;
    });
    for (const row of changed) this.rows.set(namingAuthorityKey(row.prefix), authorityOf(row));
    const value =
      this.known === null || changed.length > 0
        ? new KnownAuthorities(this.rows.values(), this.resolver)
        : this.known.value;
    this.known = { at, value };
    return value;
  }
}

/** @throws Problem UNKNOWN_NAMING_AUTHORITY or SUSPENDED_NAMING_AUTHORITY when nothing may be minted under it. */
export function activeIn(known: KnownAuthorities, prefix: string, pointer = '/namingAuthority'): NamingAuthority {
  const found = known.find(prefix);
  const errors = [{ pointer, detail: `nothing is minted under "${prefix}" here` }];
  if (found === undefined) {
    const detail = `The naming authority "${prefix}" is not known here; an operator creates it first.`;
    throw new Problem('UNKNOWN_NAMING_AUTHORITY', detail, { errors });
  }
  if (found.status !== 'active') {
    throw new Problem('SUSPENDED_NAMING_AUTHORITY', `The naming authority "${prefix}" is suspended.`, { errors });
  }
  return found;
}
