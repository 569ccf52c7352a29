import type { MintRequest } from './minting.js';
import { type NamePick, type Names, cordra } from './names.js';

export type State = 'active' | 'reserved' | 'withdrawn';

/** The values of a new identifier with which a mint of its metadata ID is compared. */
export interface MintedValues {
  readonly target: string | null;
  readonly alternateIds: readonly string[];
  readonly state: State;
}

/** An identifier of the model. */
export interface Entry {
  /** The number of the request that minted it; the order of identifiers of one request is that of its items. */
  readonly request: number;
  /** Whether it was minted as the metadata record of another one. */
  readonly isRecord: boolean;
  readonly namingAuthority: string;
  /** Known from the response for a minted one. */
  guid: string;
  metadataId: string | null;
  target: string | null;
  alternateIds: readonly string[];
  state: State;
  /** The values that it was minted with. */
  readonly minted: MintedValues;
  tombstone: { readonly reasonCode: string; readonly reason: string; readonly replacedBy: string | null } | null;
  /** Its changes, each of which is a version. */
  readonly kinds: string[];
}

/** The result of one item of a request, for a replay. */
export type StoredResult =
  { readonly status: 200 | 201; readonly at: number; readonly pairAt: number | null } | { readonly code: string };

/** The lease of all reservations of the model. */
export const FAR_LEASE = '2126-01-01T00:00:00.000Z';

/** A registry in memory. An identifier is known by its index in the order of minting. */
export class Registry {
  entries: Entry[] = [];
  /** The content and results of requests with an Idempotency-Key. */
  readonly keyed = new Map<string, { readonly fingerprint: string; readonly results: readonly StoredResult[] }>();

  /** Requests with an Idempotency-Key, to be repeated. */
  readonly sent: MintRequest[] = [];

  constructor(readonly names: Names) {}

  /** @returns the canonical name of a pick at this time. */
  canonical({ from, index, authority }: NamePick): string {
    const { guids, authorities } = this.names;
    const entry = this.entries[index % Math.max(1, this.entries.length)];
    if (from === 'entry' && entry !== undefined) return ownName(entry);
    if (from === 'guid') return `hdl:${authorities[authority % 2] ?? ''}/${guids[index % guids.length] ?? ''}`;
    const pool = from === 'other' ? this.names.other : this.names.record;
    return pool[index % pool.length]?.canonical ?? '';
  }

  /** @returns one of the texts of a name. */
  text(canonical: string, spelling: number): string {
    const { record, other } = this.names;
    const known = [...record, ...other].find((name) => name.canonical === canonical);
    const { spellings } = known ?? cordra(canonical.replace(/^hdl:/, ''));
    return spellings[spelling % spellings.length] ?? canonical;
  }

  /** @returns the index of the identifier with a canonical name; -1 for none. */
  find(canonical: string): number {
    return this.entries.findIndex((entry) => ownName(entry) === canonical);
  }

  /** The objects of a metadata ID. */
  describedBy(entry: Entry): Entry[] {
    return this.entries.filter(({ metadataId }) => metadataId === ownName(entry));
  }
}

export const identifierOf = ({ namingAuthority, guid }: Entry): string => `${namingAuthority}/${guid}`;

/** The name of an identifier as a metadata ID. */
export const ownName = (entry: Entry): string => `hdl:${identifierOf(entry)}`;
