import { Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import type { NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import { type MatchedBy, type Matches, MAX_CANDIDATES } from '../../storage/identifiers/identifier-search.js';
import { NamingAuthorityReads } from '../../storage/replica/naming-authority-reads.js';
import { SearchReads } from '../../storage/replica/search-reads.js';
import { type InputFault, type ReadInput, readInput } from './read-input.js';

/** Texts per statement. A record can have 800 KB, and a slice stays in memory until the client has read it. */
const SLICE = 100;

export interface LookupCommand {
  readonly items: readonly string[];
  /** The host and port by which the client reaches the service, whose own URLs are identifiers too. */
  readonly ownHost: string;
}

export interface LookupResult {
  readonly input: string;
  readonly outcome: 'found' | 'ambiguous' | 'missing' | 'malformed';
  /** How the text matches; null when nothing matches. */
  readonly matchedBy: MatchedBy | null;
  /** The identifier that matches; null where there is none, or a GUID or a target is ambiguous. */
  readonly record: IdentifierRecord | null;
  /** Other identifiers with the same metadata ID or alternate; null without `record`. */
  readonly others: readonly string[] | null;
  /** The identifiers that match equally well; null unless ambiguous. */
  readonly candidates: readonly string[] | null;
  readonly canonical?: string;
  readonly fault: InputFault | null;
}

@Injectable()
export class LookupManyService {
  constructor(
    private readonly finder: SearchReads,
    private readonly authorities: NamingAuthorityReads,
  ) {}

  /** @yields one result for each text, in order. Texts are looked up in slices, as the client reads the results. */
  async *find({ items, ownHost }: LookupCommand, principal: Principal): AsyncGenerator<LookupResult> {
    let known = await this.authorities.current();
    let isFresh = false;
    for (let from = 0; from < items.length; from += SLICE) {
      const slice = items.slice(from, from + SLICE);
      let results = await this.findBy(known, slice, ownHost, principal);
      const missed = results.filter(({ outcome }) => outcome !== 'found').map(({ input }) => input);
      const unknown = known.unknownPrefixes(missed);
      if (missed.length > 0 && (!isFresh || unknown.length > 0)) {
        // Another process may have just created a naming authority or changed its resolver.
        const fresh = await this.authorities.refresh(unknown);
        if (fresh !== known) results = await this.findBy(fresh, slice, ownHost, principal);
        known = fresh;
        isFresh = true;
      }
      yield* results;
    }
  }

  private async findBy(
    known: NamingAuthoritySnapshot,
    inputs: readonly string[],
    ownHost: string,
    principal: Principal,
  ): Promise<LookupResult[]> {
    const view = principal.viewOf(known);
    const visible = principal.hasRestrictedView ? view.all().map(({ prefix }) => prefix) : null;
    const reads = inputs.map((input) => readInput(input, view, ownHost));
    const keys = reads.map(({ readings }) => readings.map(({ searchKey }) => searchKey));
    const found = await this.finder.find(keys, visible);
    return reads.map((read, index) => resultOf(read, found[index] ?? { matches: [], record: null }, principal));
  }
}

function resultOf(
  { input, readings, fault, ...canonical }: ReadInput,
  { matches, record }: Matches,
  principal: Principal,
): LookupResult {
  const [first, ...more] = matches;
  if (first === undefined || record === null) {
    const nothing = { input, matchedBy: null, record: null, others: null, candidates: null };
    return fault === null
      ? { ...nothing, outcome: 'missing', ...canonical, fault }
      : { ...nothing, outcome: 'malformed', fault };
  }
  const reading = readings[first.reading];
  const nearest = matches.filter(({ matchedBy }) => matchedBy === first.matchedBy);
  const isAmbiguous = nearest.length > 1;
  // Metadata IDs and alternates prefer the oldest record; an ambiguous GUID or target has no preference.
  const { name, opaque } = reading?.searchKey ?? {};
  const hasPreference = !isAmbiguous || name !== undefined || opaque !== undefined;
  // A text can be another name and an opaque metadata ID, which is its own canonical form.
  const isOpaque = first.matchedBy === 'metadataId' && opaque?.canonical === record.metadataId;
  const canonicalMatch = isOpaque ? record.metadataId : reading?.canonical;
  const others = new Set(more.map(({ identifier }) => identifier));
  others.delete(first.identifier);
  return {
    input,
    outcome: isAmbiguous ? 'ambiguous' : 'found',
    matchedBy: first.matchedBy,
    record: hasPreference ? principal.redact(record) : null,
    others: hasPreference ? [...others] : null,
    candidates: isAmbiguous ? nearest.slice(0, MAX_CANDIDATES).map(({ identifier }) => identifier) : null,
    ...(canonicalMatch != null && { canonical: canonicalMatch }),
    fault: null,
  };
}
