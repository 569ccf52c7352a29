import type { MintRequest } from './minting.js';
import { type NamePick, type Names, cordra } from './names.js';

export type State = 'active' | 'reserved' | 'withdrawn';

/** An identifier as the model has it. */
export interface Entry {
  /** The number of the request that minted it; what one request minted has an order only among its items. */
  readonly request: number;
  /** Whether it was minted beside another as its metadata record. */
  readonly isRecord: boolean;
  readonly namingAuthority: string;
  /** Of a minted one, the service's answer tells it. */
  guid: string;
  metadataId: string | null;
  target: string | null;
  alternateIds: readonly string[];
  state: State;
  tombstone: { readonly reason: string; readonly replacedBy: string | null } | null;
  /** What happened to it; each made one version. */
  readonly kinds: string[];
}

/** What one item of a request came to, to be answered again under its key. */
export type StoredResult =
  { readonly status: 200 | 201; readonly at: number; readonly pairAt: number | null } | { readonly code: string };

/** Until when everything that is reserved here is held. */
export const FAR_LEASE = '2126-01-01T00:00:00.000Z';

/** A registry in memory. Identifiers are known by their place in the order of minting. */
export class Registry {
  entries: Entry[] = [];
  /** What requests with an Idempotency-Key meant and came to. */
  readonly keyed = new Map<string, { readonly fingerprint: string; readonly results: readonly StoredResult[] }>();

  /** Requests with an Idempotency-Key, to be sent again. */
  readonly sent: MintRequest[] = [];

  constructor(readonly names: Names) {}

  /** @returns the canonical name that a pick means now. */
  canonical({ from, index, authority }: NamePick): string {
    const { guids, authorities } = this.names;
    const entry = this.entries[index % Math.max(1, this.entries.length)];
    if (from === 'entry' && entry !== undefined) return ownName(entry);
    if (from === 'guid') return `hdl:${authorities[authority % 2] ?? ''}/${guids[index % guids.length] ?? ''}`;
    const pool = from === 'other' ? this.names.other : this.names.record;
    return pool[index % pool.length]?.canonical ?? '';
  }

  /** @returns one of the texts that mean a name. */
  text(canonical: string, spelling: number): string {
    const { record, other } = this.names;
    const known = [...record, ...other].find((name) => name.canonical === canonical);
    const { spellings } = known ?? cordra(canonical.replace(/^hdl:/, ''));
    return spellings[spelling % spellings.length] ?? canonical;
  }

  /** @returns the place of the identifier that a canonical name is; -1 for none. */
  find(canonical: string): number {
    return this.entries.findIndex((entry) => ownName(entry) === canonical);
  }

  /** What an identifier is the metadata ID of. */
  describedBy(entry: Entry): Entry[] {
    return this.entries.filter(({ metadataId }) => metadataId === ownName(entry));
  }
}

export const identifierOf = ({ namingAuthority, guid }: Entry): string => `${namingAuthority}/${guid}`;

/** What an identifier is called where it is another's metadata ID. */
export const ownName = (entry: Entry): string => `hdl:${identifierOf(entry)}`;
