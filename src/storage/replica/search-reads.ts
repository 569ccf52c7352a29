import type { Replica } from '../../database/replica/replica.js';
import { IdentifierSearch, type Matches, type SearchKey, type Searched } from '../identifiers/identifier-search.js';
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
   * Finds what the texts match, as `IdentifierSearch.find` does. The primary finds what the replica does not have.
   */
  async find(texts: readonly (readonly SearchKey[])[], where: Searched): Promise<Matches[]> {
    const { replica, atReplica, primary } = this;
    if (replica === null || atReplica === null) return primary.find(texts, where);
    return replicaFirst(
      replica,
      (found) => found.every(isFound),
      () => atReplica.find(texts, where),
      async (found) => {
        if (found === null) return primary.find(texts, where);
        const missing = found.flatMap((matches, index) => (isFound(matches) ? [] : [index]));
        const others = await primary.find(
          missing.map((index) => texts[index] ?? []),
          where,
        );
        const byIndex = new Map(missing.map((index, at) => [index, others[at]]));
        const results = found.map((matches, index) => (isFound(matches) ? matches : byIndex.get(index)));
        const end = results.indexOf(undefined);
        return results.slice(0, end < 0 ? undefined : end).flatMap((matches) => matches ?? []);
      },
    );
  }
}

const isFound = (found: Matches | undefined): boolean => found !== undefined && found.matches.length > 0;
