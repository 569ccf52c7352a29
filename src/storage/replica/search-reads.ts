import type { Replica } from '../../database/replica/replica.js';
import { IdentifierSearch, type Matches, type SearchKey } from '../identifiers/identifier-search.js';
import { replicaFirst } from '../replica-first.js';

/** Finds records for many texts, at a replica where there is one. */
export class SearchReads {
  private readonly atReplica: IdentifierSearch | null;

  constructor(
    private readonly primary: IdentifierSearch,
    private readonly replica: Replica | null,
  ) {
    this.atReplica = replica === null ? null : new IdentifierSearch(replica);
  }

  /**
   * Finds what each text matches by its first key with a match. The primary finds what the replica does not have.
   * @param visible the searched prefixes; null for all.
   */
  async find(texts: readonly (readonly SearchKey[])[], visible: readonly string[] | null): Promise<Matches[]> {
    const { replica, atReplica, primary } = this;
    if (replica === null || atReplica === null) return primary.find(texts, visible);
    return replicaFirst(
      replica,
      (found) => found.every(isFound),
      () => atReplica.find(texts, visible),
      async (found) => {
        if (found === null) return primary.find(texts, visible);
        const missing = texts.filter((_, index) => !isFound(found[index]));
        const others = (await primary.find(missing, visible)).values();
        return found.map((matches) => (isFound(matches) ? matches : (others.next().value ?? matches)));
      },
    );
  }
}

const isFound = (found: Matches | undefined): boolean => found !== undefined && found.matches.length > 0;
