import { Inject, Injectable } from '@nestjs/common';
import { HOT_POOL } from '../../database/pool.js';
import type { Sessions } from '../../database/replica/server-state.js';
import type { Resolver } from '@mintmark/identifier';
import { Problem } from '../../problem/problem.js';
import { type NamingAuthorityRow, namingAuthorityOf } from './naming-authority-row.js';
import { NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import { DEFAULT_HTTP_RESOLVER } from '../../registry/setting-tokens.js';

/** Maximum age of a snapshot in milliseconds. Mints do not depend on it, because their statement compares the version with the row. */
const MAX_AGE_MS = 1000;

/**
 * $1: the fingerprint of the known rows, or null. Returns the present fingerprint, and all rows if it differs. The fingerprint has the
 * number of the transaction that wrote each row, because the clock of the database can be set back. It also has the time, because the
 * number can be used again after a failover that lost a change. With OFFSET 0, PostgreSQL compares once instead of for each row. With
 * 10,000 rows, the fingerprint takes 3 ms.
 */
const READ = `
  SELECT present.fingerprint, n.*,
         ARRAY(SELECT u.local_name FROM handle_user u WHERE u.naming_authority_id = n.id) AS handle_users
  FROM (
    SELECT concat_ws(' ', (SELECT sum(hash_record_extended(ROW(id, xmin, updated_at), 0)) FROM naming_authority),
                     (SELECT sum(hash_record_extended(ROW(naming_authority_id, local_key, xmin), 0)) FROM handle_user)) AS fingerprint
    OFFSET 0
  ) present LEFT JOIN LATERAL (
    SELECT * FROM naming_authority WHERE present.fingerprint IS DISTINCT FROM $1 OFFSET 0
  ) n ON true`;

type ReadRow = { readonly fingerprint: string } & (NamingAuthorityRow | { readonly prefix: null });

interface Known {
  /** When the read began, in milliseconds of a monotonic clock. */
  readonly at: number;
  readonly fingerprint: string | undefined;
  readonly value: NamingAuthoritySnapshot;
}

@Injectable()
export class NamingAuthorityCache {
  private known: Known | null = null;
  private refreshing: Promise<NamingAuthoritySnapshot> | null = null;

  constructor(
    @Inject(HOT_POOL) private readonly server: Sessions,
    @Inject(DEFAULT_HTTP_RESOLVER) private readonly resolver: Resolver,
  ) {}

  /** Returns a snapshot less than a second old. */
  async current(): Promise<NamingAuthoritySnapshot> {
    return this.fresh ?? this.refresh();
  }

  /** The last snapshot; null if it is a second old. */
  get fresh(): NamingAuthoritySnapshot | null {
    return this.isCurrent ? this.latest : null;
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

  /** Reads again. The result has everything that was committed before the call, including manual changes. */
  async refresh(): Promise<NamingAuthoritySnapshot> {
    // A read in progress could miss a change that was committed before this call.
    if (this.refreshing !== null) await this.refreshing.catch(() => null);
    this.refreshing ??= this.read().finally(() => (this.refreshing = null));
    return this.refreshing;
  }

  /** Reads again if a prefix is not active, because another process may have created or activated it. */
  async currentFor(prefixes: readonly string[]): Promise<NamingAuthoritySnapshot> {
    const known = await this.current();
    return prefixes.every((prefix) => known.find(prefix)?.state === 'active') ? known : this.refresh();
  }

  /** Reads again if the texts name unknown naming authorities, because another process may have just created them. */
  async currentForTexts(texts: readonly string[]): Promise<NamingAuthoritySnapshot> {
    const known = await this.current();
    return known.unknownPrefixes(texts).length === 0 ? known : this.refresh();
  }

  /** Repeats a look-up that failed with a Problem if naming authorities have changed. @param first the snapshot of the first attempt. */
  async lookUp<T>(work: (known: NamingAuthoritySnapshot) => Promise<T>, first?: NamingAuthoritySnapshot): Promise<T> {
    const known = first ?? this.fresh ?? (await this.refresh());
    try {
      return await work(known);
    } catch (error) {
      const fresh = error instanceof Problem ? await this.refresh() : known;
      if (fresh === known) throw error;
      return work(fresh);
    }
  }

  private async read(): Promise<NamingAuthoritySnapshot> {
    const at = performance.now();
    const { known } = this;
    const query = { name: 'naming-authorities', text: READ, values: [known?.fingerprint ?? null] };
    const { rows } = await this.server.query<ReadRow>(query);
    const fingerprint = rows[0]?.fingerprint;
    if (known !== null && known.fingerprint === fingerprint) {
      this.known = { ...known, at };
      return known.value;
    }
    const all = rows.flatMap((row) => (row.prefix === null ? [] : namingAuthorityOf(row)));
    this.known = { at, fingerprint, value: new NamingAuthoritySnapshot(all, this.resolver) };
    return this.known.value;
  }
}
