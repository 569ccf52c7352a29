import { Injectable } from '@nestjs/common';
import { type Resolver, parseHandle, urisOf } from '@mintmark/identifier';
import type { Principal } from '../../access/principal.js';
import { FindingService } from '../../finding/finding.service.js';
import { type PathReading, readPath } from '../../finding/read-path.js';
import { MAX_STORED_BYTES } from '../../registry/canonical-name.js';
import { type IdentifierRecord, nativeText } from '../../registry/identifier-record.js';
import { availabilityOf } from '../../registry/availability.js';
import { isDeleted } from '../../registry/lifecycle.js';
import type { MetadataIdScheme, NamingAuthority } from '../../registry/naming-authority.js';
import { addressIn } from '../../registry/naming-authority-snapshot.js';
import { handleIn } from '../../registry/neighbor-uri.js';
import { RecordCache } from '../../storage/identifiers/cache/record-cache.js';
import { NamingAuthorityReads, RecordReads } from '../../storage/replica/reads.js';
import { localNamesOf } from './local-names.js';

/** The result of resolving a name. `handle` is the decoded name in the path, the name in a pasted text, or else the pasted text. */
export type Resolution = { readonly handle: string } & (
  | { readonly kind: 'active' | 'withdrawn'; readonly authority: NamingAuthority; readonly record: IdentifierRecord }
  | { readonly kind: 'unknown' }
  /** Several identifiers match a text equally well; `names` has their native texts, `NA/local`. */
  | { readonly kind: 'several'; readonly names: readonly string[] }
  /** The prefix is not in this registry, or it is hidden from the principal. */
  | { readonly kind: 'foreign'; readonly isMarked: boolean }
  | { readonly kind: 'malformed'; readonly reason: string }
  | { readonly kind: 'tooLong' }
);

/** Maximum number of steps from a duplicate to the active identifier that replaces it. */
const MAX_STEPS = 5;

/** Maximum length of a parsed name, in characters. A local name of 8192 bytes that are all escaped twice is shorter. */
const MAX_NAME_LENGTH = 49_152;

@Injectable()
export class HandleResolver {
  /** @param reader reads records without `describes`, unlike `wholeRecords`. */
  constructor(
    private readonly reader: RecordCache,
    private readonly wholeRecords: RecordReads,
    private readonly authorities: NamingAuthorityReads,
    private readonly finding: FindingService,
  ) {}

  /** Reads a path for a principal with a restricted view of naming authorities and their resolvers. */
  async readFor(principal: Principal, path: string, ownHost: string): Promise<PathReading> {
    const known = principal.viewOf(await this.authorities.current());
    return readPath(path, known, ownHost) ?? { authority: null, handle: '', isMarked: false };
  }

  /** Resolves a name that was read from a path, or that is written as in a path. */
  async resolve(reading: PathReading, principal: Principal): Promise<Resolution> {
    const { authority, handle } = reading;
    if (authority === null || !principal.canSee(authority.prefix)) {
      return { kind: 'foreign', handle, isMarked: reading.isMarked };
    }
    const { candidates, isTooLong } = localNamesOf(authority, reading);
    return isTooLong ? { kind: 'tooLong', handle } : this.find(authority, candidates, handle);
  }

  /**
   * Returns the metadata ID scheme of a record, and the record with the objects that it describes, unless it has changed in the meantime.
   */
  async whole(record: IdentifierRecord) {
    const { namingAuthority, localName, version } = record;
    const authority = (await this.authorities.current()).find(namingAuthority);
    const whole = authority === undefined ? null : await this.wholeRecords.find(addressIn(authority, localName));
    const metadataIdScheme: MetadataIdScheme = authority?.metadataIdScheme ?? 'recognized';
    return { record: whole?.version === version ? whole : record, metadataIdScheme };
  }

  /** The active identifier to which a chain of at most `MAX_STEPS` duplicates leads; null if it leads to no visible active identifier. */
  async survivorOf(duplicate: IdentifierRecord, principal: Principal): Promise<IdentifierRecord | null> {
    const known = principal.viewOf(await this.authorities.current());
    let record = duplicate;
    for (let step = 1; step <= MAX_STEPS; step++) {
      const availability = availabilityOf(record);
      if (availability.kind !== 'moved') return null;
      const to = handleIn(availability.to);
      if (to === null) return null;
      const authority = known.find(to.namingAuthority) ?? null;
      const next = await this.resolve({ authority, handle: to.text, isMarked: true }, principal);
      if (next.kind === 'active') return next.record;
      if (next.kind !== 'withdrawn') return null;
      ({ record } = next);
    }
    return null;
  }

  /** Resolves a text that was sent with the form at `/`: as a name or, if that fails, by a look-up. */
  async resolvePasted(text: string, ownHost: string, principal: Principal): Promise<Resolution> {
    const direct = await this.resolveText(text, principal);
    if (isFound(direct) || text.length > MAX_STORED_BYTES) return direct;
    const { record, candidates, reason } = await this.finding.findOne(text, ownHost, principal);
    const names = candidates ?? (record === null ? [] : [nativeText(record)]);
    const resolved = await Promise.all(names.map((name) => this.resolveText(name, principal)));
    // Reserved and deleted identifiers count as not registered.
    const shown = resolved.filter(isFound);
    const [first = resolved[0], second] = shown;
    if (second !== undefined) return { kind: 'several', handle: text, names: shown.map(({ handle }) => handle) };
    if (first !== undefined) return first;
    return reason === 'unknown' && direct.kind === 'malformed' ? { kind: 'unknown', handle: text } : direct;
  }

  /** Resolves a text in any form. */
  private async resolveText(text: string, principal: Principal): Promise<Resolution> {
    if (text.length > MAX_NAME_LENGTH) return { kind: 'tooLong', handle: text };
    const known = principal.viewOf(await this.authorities.current());
    const read = known.recognize(text);
    if (!read.ok) return { kind: 'malformed', handle: text, reason: read.fault.detail };
    const { normalized } = read.value;
    const name = known.exactHandle(text)?.name ?? read.value.name;
    if (name.type !== 'cordra' && name.type !== 'handle') {
      return { kind: 'malformed', handle: text, reason: `${normalized} is not a Handle.` };
    }
    const [prefix, localName] = [name.namingAuthority, name.type === 'cordra' ? name.guid : name.localName];
    const authority = known.find(prefix);
    const reading = { authority: authority ?? null, handle: `${prefix}/${localName}`, isMarked: true };
    return this.resolve(reading, principal);
  }

  private async find(authority: NamingAuthority, candidates: readonly string[], handle: string): Promise<Resolution> {
    for (const localName of candidates) {
      const record = await this.reader.find(addressIn(authority, localName));
      if (record === null) continue;
      if (record.state === 'reserved' || isDeleted(record)) break;
      const kind = availabilityOf(record).kind === 'shown' ? 'active' : 'withdrawn';
      return { kind, handle, record, authority };
    }
    return { kind: 'unknown', handle };
  }
}

function isFound({ kind }: Resolution): boolean {
  return kind === 'active' || kind === 'withdrawn';
}

/** The URL of a Handle at another resolver; null if the Handle has no URL there. */
export function urlAt(resolver: Resolver, handle: string): string | null {
  const read = parseHandle(handle, { charset: 'unicode' });
  return read.ok ? urisOf(read.value, { resolver }).resolver : null;
}
