import { Injectable } from '@nestjs/common';
import { type Principal, redactFor } from '../../access/principal.js';
import { IdentifierSearch, type Matches, MAX_CANDIDATES } from '../../storage/identifiers/identifier-search.js';
import { IdentifierPresenter } from '../representation/identifier-presenter.js';
import type { NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import { NamingAuthorityCache } from '../../storage/naming-authorities/naming-authority-cache.js';
import type { LookupResultDto } from './lookup.dto.js';
import { type ReadInput, readInput } from './read-input.js';

/** Texts per statement. A record can have 800 KB, and a slice stays in memory until the client has read it. */
const SLICE = 100;

@Injectable()
export class LookupManyService {
  constructor(
    private readonly finder: IdentifierSearch,
    private readonly authorities: NamingAuthorityCache,
    private readonly presenter: IdentifierPresenter,
  ) {}

  /** @yields one result for each text, in order. Texts are looked up in slices, as the client reads the results. */
  async *find(inputs: readonly string[], principal: Principal): AsyncGenerator<LookupResultDto> {
    let known = await this.authorities.current();
    let isFresh = false;
    for (let from = 0; from < inputs.length; from += SLICE) {
      const slice = inputs.slice(from, from + SLICE);
      let results = await this.findBy(known, slice, principal);
      const missed = slice.filter((_, index) => results[index]?.status !== 'found');
      const unknown = known.unknownPrefixes(missed);
      if (missed.length > 0 && (!isFresh || unknown.length > 0)) {
        // Another process may have just created a naming authority or changed its resolver.
        const fresh = await this.authorities.refresh(unknown);
        if (fresh !== known) results = await this.findBy(fresh, slice, principal);
        known = fresh;
        isFresh = true;
      }
      yield* results;
    }
  }

  private async findBy(
    known: NamingAuthoritySnapshot,
    inputs: readonly string[],
    principal: Principal,
  ): Promise<LookupResultDto[]> {
    const view = principal.viewOf(known);
    const visible = principal.hasRestrictedView ? view.all().map(({ prefix }) => prefix) : null;
    const reads = inputs.map((input) => readInput(input, view));
    const keys = reads.map(({ readings }) => readings.map(({ searchKey }) => searchKey));
    const found = await this.finder.find(keys, visible);
    return reads.map((read, index) => ({
      input: inputs[index] ?? '',
      ...this.result(read, found[index] ?? { matches: [], record: null }, principal),
    }));
  }

  private result(read: ReadInput, { matches, record }: Matches, principal: Principal): Omit<LookupResultDto, 'input'> {
    const { readings, fault, ...canonical } = read;
    const [first, ...more] = matches;
    if (first === undefined || record === null) {
      if (fault !== null) return { status: 'malformed', matchedBy: null, error: fault };
      return { status: 'missing', matchedBy: null, ...canonical };
    }
    const reading = readings[first.reading];
    const nearest = matches.filter(({ matchedBy }) => matchedBy === first.matchedBy);
    const isAmbiguous = nearest.length > 1;
    // Metadata IDs and alternates prefer the oldest record; an ambiguous GUID or target has no preference.
    const isName = reading?.searchKey.key !== undefined;
    return {
      status: isAmbiguous ? 'ambiguous' : 'found',
      matchedBy: first.matchedBy,
      ...((isName || !isAmbiguous) && {
        identifier: this.presenter.show(redactFor(principal, record)),
        others: [...new Set(more.map(({ identifier }) => identifier))].filter((each) => each !== first.identifier),
      }),
      ...(isAmbiguous && { candidates: nearest.slice(0, MAX_CANDIDATES).map(({ identifier }) => identifier) }),
      ...(reading?.canonical !== undefined && { canonical: reading.canonical }),
    };
  }
}
