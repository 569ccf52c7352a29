import { Inject, Injectable } from '@nestjs/common';
import { REPLICA, type Replica } from '../../database/replica/replica.js';
import type { Resolver } from '../../identifier/index.js';
import { DEFAULT_HTTP_RESOLVER } from '../../registry/default-resolver.js';
import type { LatestAuthorities, NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import { NamingAuthorityCache } from '../naming-authorities/naming-authority-cache.js';

/**
 * The naming authorities for requests that only read: while the primary is away, those of a replica, which a cache of its own keeps,
 * so that nothing that decides about a write has them.
 */
@Injectable()
export class NamingAuthorityReads implements LatestAuthorities {
  private readonly atReplica: NamingAuthorityCache | null;

  constructor(
    private readonly primary: NamingAuthorityCache,
    @Inject(REPLICA) private readonly replica: Replica | null,
    @Inject(DEFAULT_HTTP_RESOLVER) resolver: Resolver,
  ) {
    this.atReplica =
      replica === null ? null : new NamingAuthorityCache({ query: (query) => replica.query(query) }, resolver);
  }

  /** At most a second old. */
  async current(): Promise<NamingAuthoritySnapshot> {
    const { replica, atReplica, primary } = this;
    if (replica === null || atReplica === null || primary.isCurrent) return primary.current();
    return replica.orReplica(
      () => primary.current(),
      () => atReplica.current(),
    );
  }

  /** The snapshot that was read last, of any age; null before the first one. */
  get latest(): NamingAuthoritySnapshot | null {
    return this.newer.latest;
  }

  get isCurrent(): boolean {
    return this.newer.isCurrent;
  }

  /** As `NamingAuthorityCache.refresh`, at the primary: a replica can lack a new naming authority. */
  refresh(which: readonly string[]): Promise<NamingAuthoritySnapshot> {
    return this.primary.refresh(which);
  }

  /** As `NamingAuthorityCache.lookUp`. */
  async lookUp<T>(text: string, work: (known: NamingAuthoritySnapshot) => Promise<T>): Promise<T> {
    return this.primary.lookUp(text, work, await this.current());
  }

  private get newer(): NamingAuthorityCache {
    const { primary, atReplica } = this;
    return atReplica !== null && atReplica.readAt > primary.readAt ? atReplica : primary;
  }
}
