import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { REPLICA, type Replica } from '../../database/replica/replica.js';
import type { Sessions } from '../../database/replica/server-state.js';
import type { Resolver } from '@mintmark/identifier';
import type { CanonicalName } from '../../registry/canonical-name.js';
import { DEFAULT_HTTP_RESOLVER } from '../../registry/setting-tokens.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import type { Address, LatestAuthorities, NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import type { RecordedChange } from '../changes/change-reader.js';
import { CoalescedReader } from '../identifiers/coalesced-reader.js';
import { IdentifierSearch, type Matches, type SearchKey, type Searched } from '../identifiers/identifier-search.js';
import { NamingAuthorityCache } from '../naming-authorities/naming-authority-cache.js';
import { Readers } from '../replica-readers.js';

/** Reads records for requests that only read, from a replica if there is one. Decisions about writes use `IdentifierReader`. */
@Injectable()
export class RecordReads {
  private readonly lookups: Readers<CoalescedReader>;
  private readonly searches: Readers<Pick<IdentifierSearch, 'find'>>;

  constructor(primary: CoalescedReader, search: IdentifierSearch, @Inject(REPLICA) replica: Replica | null) {
    this.lookups = new Readers(primary, replica, (server) => new CoalescedReader(server));
    this.searches = new Readers(search, replica, (server) => {
      const atReplica = new IdentifierSearch(server);
      return { find: async (texts, where) => upToMiss(await atReplica.find(texts, where)) };
    });
  }

  find(address: Address): Promise<IdentifierRecord | null> {
    return this.lookups.replicaFirst((at) => at.find(address));
  }

  /** See `CoalescedReader.findByMetadataId`. */
  findByMetadataId(metadata: CanonicalName): Promise<IdentifierRecord[] | null> {
    return this.lookups.replicaFirst((at) => at.findByMetadataId(metadata));
  }

  search(texts: readonly (readonly SearchKey[])[], where: Searched): Promise<Matches[]> {
    return this.searches.replicaFirst((at) => at.find(texts, where));
  }

  get waiting(): number {
    const { atPrimary, atReplica } = this.lookups;
    return atPrimary.waitingLookups() + (atReplica?.waitingLookups() ?? 0);
  }
}

/** Cuts the results at the first text without a match, so that this text and later ones are searched at the primary. */
function upToMiss(found: Matches[]): Matches[] {
  const end = found.findIndex(({ matches }) => matches.length === 0);
  return end < 0 ? found : found.slice(0, end);
}

/**
 * Naming authorities for requests that only read. If the primary is away, slow or failing, they come from a replica, in a separate cache,
 * so that decisions about writes never use them.
 */
@Injectable()
export class NamingAuthorityReads implements LatestAuthorities {
  private readonly caches: Readers<NamingAuthorityCache>;

  constructor(
    private readonly primary: NamingAuthorityCache,
    @Inject(REPLICA) replica: Replica | null,
    @Inject(DEFAULT_HTTP_RESOLVER) resolver: Resolver,
  ) {
    this.caches = new Readers(primary, replica, (server) => new NamingAuthorityCache(server, resolver));
  }

  /** Returns a snapshot that is at most a second old. */
  async current(): Promise<NamingAuthoritySnapshot> {
    return this.primary.fresh ?? this.caches.primaryFirst((at) => at.current());
  }

  /** The last snapshot, of any age; null before the first one. */
  get latest(): NamingAuthoritySnapshot | null {
    return this.newer.latest;
  }

  get isCurrent(): boolean {
    return this.newer.isCurrent;
  }

  /** Reads at the primary, because a replica can lack a new naming authority. */
  refresh(): Promise<NamingAuthoritySnapshot> {
    return this.primary.refresh();
  }

  /** See `NamingAuthorityCache.lookUp`. */
  lookUp<T>(work: (known: NamingAuthoritySnapshot) => Promise<T>): Promise<T> {
    const { primary } = this;
    if (primary.isCurrent) return primary.lookUp(work);
    return this.current().then((known) => primary.lookUp(work, known));
  }

  private get newer(): NamingAuthorityCache {
    const { atPrimary, atReplica } = this.caches;
    return atReplica !== null && atReplica.readAt > atPrimary.readAt ? atReplica : atPrimary;
  }
}

export interface ChangeSummary extends Pick<RecordedChange, 'version' | 'kind' | 'at'> {
  /** Null if the client is not shown. */
  readonly client: string | null;
}

/**
 * $1: the identifier; $2: the limit. The half of `change` has its own limit, because otherwise PostgreSQL would read and sort every change
 * of the identifier.
 */
const LAST_OF_IDENTIFIER = `
  SELECT version, kind, at, client FROM (
    (SELECT version, kind, at, client FROM change WHERE identifier_id = $1 ORDER BY version DESC LIMIT $2)
    UNION ALL
    (SELECT version, kind, at, client FROM first_event WHERE identifier_id = $1)
  ) last ORDER BY version DESC LIMIT $2`;

/** Reads the histories that pages show. */
@Injectable()
export class HistoryReads {
  private readonly servers: Readers<Sessions>;

  constructor(@Inject(pg.Pool) primary: Sessions, @Inject(REPLICA) replica: Replica | null) {
    this.servers = new Readers(primary, replica, (server) => server);
  }

  /** The last changes, newest first. @param withClients if false, the client of each is null. */
  async lastOfIdentifier(id: bigint, limit: number, withClients: boolean): Promise<ChangeSummary[]> {
    const query = { name: 'last-changes', text: LAST_OF_IDENTIFIER, values: [id.toString(), limit] };
    const { rows } = await this.servers.primaryFirst((at) => at.query<ChangeSummary>(query));
    return withClients ? rows : rows.map((change) => ({ ...change, client: null }));
  }
}
