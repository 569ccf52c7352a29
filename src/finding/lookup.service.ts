import { Injectable } from '@nestjs/common';
import { type PlaceHolder, Places } from '../access/limits/places.js';
import type { Principal } from '../access/principal.js';
import { type RepairCode, recognize } from '@mintmark/identifier';
import { Metrics } from '../metrics/metrics.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import type { MetadataIdScheme } from '../registry/naming-authority.js';
import { resolveIdentifier } from '../registry/resolve-identifier.js';
import { MAX_CANDIDATES } from '../storage/identifiers/identifier-search.js';
import { Problem } from '../problem/problem.js';
import { IdentifierPages, MAX_COMPARED } from '../storage/identifiers/identifier-pages.js';
import type { Count } from '../storage/statement.js';
import { type PageFilter, isServed } from '../storage/identifiers/page-filter.js';
import type { PageCursor, PageOrder } from '../storage/identifiers/page-range.js';
import { NamingAuthorityReads, RecordReads } from '../storage/replica/reads.js';
import { type IdentifierFilter, parseFilter } from './parse-filter.js';

export interface Found {
  readonly record: IdentifierRecord;
  readonly repairs: readonly RepairCode[];
  readonly metadataIdScheme: MetadataIdScheme;
}

export interface ListCommand {
  readonly filter: IdentifierFilter;
  readonly limit: number;
  readonly order: PageOrder;
  readonly withTotal: boolean;
  readonly holder: PlaceHolder;
  /** Decodes the cursor, which names the last record of the previous page. Called after the filter was found valid. */
  readonly after: () => PageCursor | undefined;
}

export interface RecordPage {
  readonly records: readonly IdentifierRecord[];
  /** The `after` of the next page; null on the last page. */
  readonly next: PageCursor | null;
  readonly total?: Count;
}

@Injectable()
export class LookupService {
  /** For lists that no index serves: four run at once, and twenty wait for up to two seconds. */
  private readonly broadLists = new Places(4, 4, 20, 2000);

  constructor(
    private readonly identifiers: IdentifierPages,
    private readonly reads: RecordReads,
    private readonly authorities: NamingAuthorityReads,
    private readonly places: Places,
    metrics: Metrics,
  ) {
    metrics.queueDepth('lookups', () => this.reads.waiting);
  }

  /**
   * @param text the identifier in any form.
   * @throws Problem IDENTIFIER_NOT_FOUND for an unregistered or hidden identifier, or with a syntax code.
   */
  find(text: string, principal: Principal, pointer: string): Promise<Found> {
    return this.authorities.lookUp(async (known) => {
      const view = principal.viewOf(known);
      const { record, repairs } = await resolveIdentifier(text, view, this.reads, pointer);
      const metadataIdScheme = view.metadataIdScheme(record.namingAuthority);
      return { record: principal.redact(record), repairs, metadataIdScheme };
    });
  }

  /** Finds what a GUID alone denotes: one visible identifier, or several to choose from, `NA/local`; otherwise null. */
  async findByGuid(text: string, principal: Principal): Promise<Found | readonly string[] | null> {
    const read = recognize(text);
    if (!read.ok || read.value.name.type !== 'uuid') return null;
    const view = principal.viewOf(await this.authorities.current());
    const visible = principal.hasRestrictedView ? view.prefixes : null;
    const [found] = await this.reads.search([[{ guid: read.value.name.hex }]], { visible, curated: [] });
    const { matches, record } = found ?? { matches: [], record: null };
    if (record === null) return null;
    if (matches.length > 1) return matches.slice(0, MAX_CANDIDATES).map(({ identifier }) => identifier);
    const metadataIdScheme = view.metadataIdScheme(record.namingAuthority);
    return { record: principal.redact(record), repairs: read.repairs, metadataIdScheme };
  }

  /** @throws Problem with a syntax code, INVALID_REQUEST for an invalid date, FILTER_TOO_BROAD, or a problem of `Places.run`. */
  async page(command: ListCommand, principal: Principal): Promise<RecordPage> {
    const { filter: texts, limit, order, withTotal, holder, after: decodeCursor } = command;
    const filter = parseFilter(texts, await this.authorities.current(), principal);
    const after = decodeCursor();
    const few = after === undefined ? await this.describedByOne(filter, limit, principal) : null;
    const redacted = (records: readonly IdentifierRecord[]) => records.map((record) => principal.redact(record));
    if (few !== null) {
      const total = { value: few.length, isExact: true };
      return {
        records: redacted(order === 'createdAt' ? few : few.toReversed()),
        next: null,
        ...(withTotal && { total }),
      };
    }
    const read = async (): Promise<RecordPage> => {
      const isWanted = (): boolean => !holder.response.closed;
      const { records, next, isTooBroad } = await this.identifiers.page(filter, { limit, order, after, isWanted });
      if (isTooBroad === true) throw tooBroad();
      return { records: redacted(records), next, ...(withTotal && { total: await this.identifiers.count(filter) }) };
    };
    const inPlace = () => this.places.run(holder, read);
    return isServed(filter) ? inPlace() : this.broadLists.run(holder, inPlace);
  }

  /** The records with one metadata ID, the most frequent list query; null for any other filter, or for more than 10 or `limit` records. */
  private async describedByOne(
    filter: PageFilter,
    limit: number,
    principal: Principal,
  ): Promise<IdentifierRecord[] | null> {
    const names = [filter.metadata, filter.opaqueMetadata].filter((name) => name !== undefined);
    if (names.length === 0 || !isOfMetadataAlone(filter)) return null;
    const found = await Promise.all(names.map((name) => this.reads.findByMetadataId(name)));
    const few = found.flatMap((records) => records?.filter((record) => !principal.hides(record)) ?? []);
    if (found.includes(null) || few.length > limit) return null;
    return names.length === 1 ? few : few.sort(inOrderOfMinting);
  }
}

const OF_METADATA: ReadonlySet<string> = new Set([
  'metadata',
  'opaqueMetadata',
  'curated',
] satisfies (keyof PageFilter)[]);

function isOfMetadataAlone(filter: PageFilter): boolean {
  return Object.entries(filter).every(([name, value]) => value === undefined || OF_METADATA.has(name));
}

function tooBroad(): Problem {
  const detail = `To fill this page, more than ${MAX_COMPARED} identifiers would be compared with the filter. GET /identifiers/export with the same filter returns all matches; a narrower filter or a shorter period may suit a list.`;
  return new Problem('FILTER_TOO_BROAD', detail);
}

function inOrderOfMinting(a: IdentifierRecord, b: IdentifierRecord): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);
}
