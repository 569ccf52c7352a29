import { Inject, Injectable } from '@nestjs/common';
import type pg from 'pg';
import { HOT_POOL } from '../../database/pool.js';
import type { Sessions } from '../../database/replica/server-state.js';
import { type Resolver, namingAuthorityKey } from '@mintmark/identifier';
import { Problem } from '../../problem/problem.js';
import { type NamingAuthorityRow, namingAuthorityOf } from './naming-authority-row.js';
import { NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import type { NamingAuthority } from '../../registry/naming-authority.js';
import { DEFAULT_HTTP_RESOLVER } from '../../registry/setting-tokens.js';

/** Maximum age of a snapshot in milliseconds. Mints do not depend on it, because their statement compares the version with the row. */
const MAX_AGE_MS = 1000;

/** Changes up to this time before the last known one are read again, because clocks differ and a commit follows its time stamp. */
const OVERLAP_MS = 60_000;

/**
 * All rows are read again after this time, because the database clock can be set back; and at once after a failed read or a lost
 * connection, because another server may have replaced the one that was read and lack its last rows.
 */
const READ_ALL_MS = 60_000;

const MAX_NAMES = 1000;

/** $1: the time since which changes are read; $2: keys of prefixes that are always read. */
const CHANGED = `
  SELECT n.*, ARRAY(SELECT u.local_name FROM handle_user u WHERE u.naming_authority_id = n.id) AS handle_users
  FROM naming_authority n
  WHERE n.id IN (
    SELECT c.id FROM naming_authority c WHERE c.updated_at >= $1
    UNION SELECT c.id FROM naming_authority c WHERE upper(c.prefix COLLATE "C") = ANY($2::text[])
    UNION SELECT u.naming_authority_id FROM handle_user u WHERE u.created_at >= $1
  )`;

@Injectable()
export class NamingAuthorityCache {
  private readonly rows = new Map<string, NamingAuthority>();
  private known: { readonly at: number; readonly value: NamingAuthoritySnapshot } | null = null;
  private refreshing: Promise<NamingAuthoritySnapshot> | null = null;
  private allReadAt = -Infinity;
  /** Keys of prefixes for the next read, unless it reads everything. */
  private needed = new Set<string>();
  private needsAll = false;

  constructor(
    @Inject(HOT_POOL) private readonly server: Sessions & Partial<Pick<pg.Pool, 'on'>>,
    @Inject(DEFAULT_HTTP_RESOLVER) private readonly resolver: Resolver,
  ) {
    server.on?.('error', () => (this.needsAll = true));
  }

  /** Returns a snapshot less than a second old. */
  async current(): Promise<NamingAuthoritySnapshot> {
    return this.known !== null && this.isCurrent ? this.known.value : this.refresh();
  }

  /** The last snapshot, of any age; null before the first one. */
  get latest(): NamingAuthoritySnapshot | null {
    return this.known?.value ?? null;
  }

  /** When the read of `latest` began, in milliseconds of a monotonic clock. */
  get readAt(): number {
    return this.known?.at ?? -Infinity;
  }

  /** Whether `latest` is less than a second old. */
  get isCurrent(): boolean {
    return performance.now() - this.readAt < MAX_AGE_MS;
  }

  /**
   * Reads changed rows, including everything committed before the call.
   * @param which prefixes that are always read; `all` reads all rows, which also finds manual changes.
   */
  async refresh(which: readonly string[] | 'all' = []): Promise<NamingAuthoritySnapshot> {
    if (which === 'all') this.needsAll = true;
    // PostgreSQL rejects NUL in a text; no prefix has one.
    else for (const prefix of which) if (!prefix.includes('\0')) this.needed.add(namingAuthorityKey(prefix));
    // A read in progress may miss a change that was committed before this call.
    if (this.refreshing !== null) await this.refreshing.catch(() => null);
    this.refreshing ??= this.read().finally(() => (this.refreshing = null));
    return this.refreshing;
  }

  /** Reads again if a prefix is not active, because another process may have created or activated it. */
  async currentFor(prefixes: readonly string[]): Promise<NamingAuthoritySnapshot> {
    const known = await this.current();
    const inactive = prefixes.filter((prefix) => known.find(prefix)?.state !== 'active');
    return inactive.length === 0 ? known : this.refresh(inactive);
  }

  /** Unknown naming authorities that the texts name are read again, because another process may have just created them. */
  async currentForTexts(texts: readonly string[]): Promise<NamingAuthoritySnapshot> {
    const known = await this.current();
    const unknown = known.unknownPrefixes(texts);
    return unknown.length === 0 ? known : this.refresh(unknown);
  }

  /** Repeats a look-up that failed with a Problem if naming authorities have changed. @param first those of the first attempt, if known. */
  async lookUp<T>(
    text: string,
    work: (known: NamingAuthoritySnapshot) => Promise<T>,
    first?: NamingAuthoritySnapshot,
  ): Promise<T> {
    const known = first ?? (await this.current());
    try {
      return await work(known);
    } catch (error) {
      const fresh = error instanceof Problem ? await this.refresh(known.unknownPrefixes([text])) : known;
      if (fresh === known) throw error;
      return work(fresh);
    }
  }

  private async read(): Promise<NamingAuthoritySnapshot> {
    const at = performance.now();
    const all = at - this.allReadAt > READ_ALL_MS || this.needsAll || this.needed.size > MAX_NAMES;
    const names = all ? [] : [...this.needed];
    this.needed = new Set();
    this.needsAll = false;
    const newest = [...this.rows.values()].reduce((latest, { updatedAt }) => Math.max(latest, updatedAt.getTime()), 0);
    const since = all ? '-infinity' : new Date(newest - OVERLAP_MS).toISOString();
    const query = { name: 'changed-authorities', text: CHANGED, values: [since, names] };
    try {
      const { rows } = await this.server.query<NamingAuthorityRow>(query);
      const read = new Map(rows.map((row) => [namingAuthorityKey(row.prefix), namingAuthorityOf(row)]));
      const changed = [...read].filter(([key, authority]) => !isSame(this.rows.get(key), authority));
      const missing = [...(all ? this.rows.keys() : names)].filter((key) => !read.has(key));
      for (const [key, authority] of changed) this.rows.set(key, authority);
      const lost = missing.filter((key) => this.rows.delete(key));
      const value =
        this.known === null || changed.length > 0 || lost.length > 0
          ? new NamingAuthoritySnapshot(this.rows.values(), this.resolver)
          : this.known.value;
      this.known = { at, value };
      if (all) this.allReadAt = at;
      return value;
    } catch (error) {
      this.needsAll = true;
      throw error;
    }
  }
}

/** The time is compared too, because after a failover that lost a change, its version can be used again for other settings. */
function isSame(known: NamingAuthority | undefined, read: NamingAuthority): boolean {
  if (known?.version !== read.version || known.state !== read.state) return false;
  const { handleUsers: users = new Set() } = known;
  const { handleUsers: usersRead = new Set() } = read;
  const isOfSameUsers = users.size === usersRead.size && [...users].every((name) => usersRead.has(name));
  return known.updatedAt.getTime() === read.updatedAt.getTime() && isOfSameUsers;
}
