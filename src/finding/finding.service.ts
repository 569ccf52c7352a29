import { Injectable } from '@nestjs/common';
import type { Principal } from '../access/principal.js';
import { clientGone } from '../problem/problem.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { NearIdentifiers } from '../storage/identifiers/near-identifiers.js';
import { type MatchedBy, type Matches, MAX_CANDIDATES } from '../storage/identifiers/identifier-search.js';
import { NamingAuthorityReads, RecordReads } from '../storage/replica/reads.js';
import { type Hint, type MissReason, type OwnName, hintOf, nearSearchOf, ownNameIn } from './miss.js';
import { type InputFault, type ReadInput, readInput, wordsOf } from './read-input.js';

/** Maximum number of texts per statement. It is lower for large records, which stay in memory until the client has read them. */
const SLICE = 100;

/** Maximum number of texts of a request for which the nearest registered name is searched. Hints for further texts have no such name. */
const MAX_NEAR_SEARCHES = 20;

export interface LookupCommand {
  readonly items: readonly string[];
  /** The host and port by which the client reaches the service. URLs with them are recognized as identifiers. */
  readonly ownHost: string;
  /** Called before each statement. If it returns false, the look-up ends. */
  readonly isWanted?: () => boolean;
}

export interface LookupResult {
  readonly input: string;
  readonly outcome: 'found' | 'ambiguous' | 'missing' | 'malformed';
  /** How the text matches; null if nothing matches. */
  readonly matchedBy: MatchedBy | null;
  /** The identifier that matches; null if there is none, or if a GUID or a target is ambiguous. */
  readonly record: IdentifierRecord | null;
  /** The other matching identifiers, such as those with the same metadata ID or alternate; null without `record`. */
  readonly others: readonly string[] | null;
  /** The identifiers that match equally well; null unless ambiguous. */
  readonly candidates: readonly string[] | null;
  readonly canonical?: string;
  readonly fault: InputFault | null;
  /** Why nothing matches; null if something matches. */
  readonly reason: MissReason | null;
  /** The probable error in a name under a visible prefix that matches nothing; null for any other text. */
  readonly hint: Hint | null;
}

/** A result, and the name under a visible prefix that was not found; null for any other result. */
interface Tried {
  readonly result: LookupResult;
  readonly missed: OwnName | null;
}

@Injectable()
export class FindingService {
  constructor(
    private readonly reads: RecordReads,
    private readonly authorities: NamingAuthorityReads,
    private readonly near: NearIdentifiers,
  ) {}

  /** The result for one text, without the nearest name in its hint. @param ownHost as in `LookupCommand`. */
  async findOne(text: string, ownHost: string, principal: Principal): Promise<LookupResult> {
    for await (const [result] of this.find({ items: [text], ownHost }, principal, 0)) if (result) return result;
    throw new TypeError('a look-up has a result for each text');
  }

  /**
   * @yields one result for each text, in order and in parts, which are looked up as the client reads the results. The consumer may
   * remove the results from a part to release their records.
   * @throws Problem REQUEST_TIMEOUT when `isWanted` returns false.
   */
  async *find(
    { items, ownHost, isWanted = () => true }: LookupCommand,
    principal: Principal,
    searches = MAX_NEAR_SEARCHES,
  ): AsyncGenerator<LookupResult[], undefined> {
    let known = await this.authorities.current();
    let isFresh = false;
    for (let from = 0; from < items.length;) {
      if (!isWanted()) throw clientGone();
      const slice = items.slice(from, from + SLICE);
      let tried = await this.findBy(known, slice, ownHost, principal);
      const missed = tried.filter(({ result }) => result.outcome !== 'found').map(({ result }) => result.input);
      const unknown = known.unknownPrefixes(missed);
      if (missed.length > 0 && (!isFresh || unknown.length > 0)) {
        // Another process may have just created a naming authority or changed its resolver.
        const fresh = await this.authorities.refresh();
        if (fresh !== known) tried = await this.findBy(fresh, slice, ownHost, principal);
        known = fresh;
        isFresh = true;
      }
      const results: LookupResult[] = [];
      for (const { result, missed: name } of tried) {
        if (name !== null) searches -= 1;
        results.push(
          name === null ? result : { ...result, hint: await this.hintOf(name, result.input, searches >= 0) },
        );
      }
      from += tried.length;
      tried = [];
      yield results;
    }
    return undefined;
  }

  /** The probable error in a name that is not registered; null for a text without a visible prefix. */
  async hintFor(text: string, principal: Principal): Promise<Hint | null> {
    const name = ownNameIn([text, ...wordsOf(text)], principal.viewOf(await this.authorities.current()));
    return name === null ? null : this.hintOf(name, text, true);
  }

  private async hintOf(name: OwnName, text: string, isSearched: boolean): Promise<Hint> {
    return hintOf(name, text, isSearched ? await this.near.find(() => nearSearchOf(name)) : null);
  }

  /** The results of the first texts: of all texts, unless their records are large. */
  private async findBy(
    known: NamingAuthoritySnapshot,
    inputs: readonly string[],
    ownHost: string,
    principal: Principal,
  ): Promise<Tried[]> {
    const view = principal.viewOf(known);
    const visible = principal.hasRestrictedView ? view.prefixes : null;
    const reads = inputs.map((input) => readInput(input, view, ownHost));
    const keys = reads.map(({ readings }) => readings.map(({ searchKey }) => searchKey));
    const found = await this.reads.search(keys, { visible, curated: principal.curatedIn(view) ?? null });
    return reads.slice(0, found.length).map((read, index) => {
      const result = resultOf(read, found[index] ?? { matches: [], record: null }, principal);
      if (result.matchedBy !== null) return { result, missed: null };
      const missed = ownNameIn(read.texts, view);
      return { result: { ...result, reason: reasonOf(read, missed) }, missed };
    });
  }
}

const NO_MISS = { reason: null, hint: null };

function resultOf(
  { input, readings, fault, canonical }: ReadInput,
  { matches, record }: Matches,
  principal: Principal,
): LookupResult {
  const [first, ...more] = matches;
  if (first === undefined || record === null) {
    const nothing = { input, matchedBy: null, record: null, others: null, candidates: null, ...NO_MISS };
    return fault === null
      ? { ...nothing, outcome: 'missing', ...(canonical !== undefined && { canonical }), fault }
      : { ...nothing, outcome: 'malformed', fault };
  }
  const reading = readings[first.reading];
  const nearest = matches.filter(({ matchedBy }) => matchedBy === first.matchedBy);
  const isAmbiguous = nearest.length > 1;
  // Among matches of a metadata ID or an alternate, the oldest record is preferred; among matches of a GUID or a target, none is.
  const { name, opaque } = reading?.searchKey ?? {};
  const hasPreference = !isAmbiguous || name !== undefined || opaque !== undefined;
  // A text can be both an opaque metadata ID, which is its own canonical form, and another name.
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
    ...NO_MISS,
  };
}

function reasonOf({ isForeign, isNoName }: ReadInput, own: OwnName | null): MissReason {
  if (own !== null) return 'unknown';
  if (isForeign) return 'foreign-prefix';
  return isNoName ? 'not-a-name' : 'unknown';
}
