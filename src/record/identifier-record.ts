import type { CordraId } from '../identifier/index.js';
import { toCordraId } from '../identifier/index.js';

/** The life of an identifier; nothing is ever deleted or reused. */
export const STATES = ['reserved', 'active', 'withdrawn'] as const;
export type State = (typeof STATES)[number];

/** Longest URL that an identifier resolves to, in characters; the database has the same limit. */
export const MAX_TARGET_LENGTH = 2048;

/** A registered identifier as the service works with it. */
export interface IdentifierRecord {
  /** Place in the order of minting; pages are cut by it. */
  readonly id: bigint;
  readonly namingAuthority: string;
  /** 32 hexadecimal digits in capitals (CID-14). */
  readonly guid: string;
  /** Canonical spelling, see `StoredName`. */
  readonly metadataId: string | null;
  readonly target: string | null;
  readonly alternateIds: readonly string[];
  readonly state: State;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The identifier that a record is about. */
export function identifierOf(record: Pick<IdentifierRecord, 'namingAuthority' | 'guid'>): CordraId {
  return toCordraId(`${record.namingAuthority}/${record.guid}`);
}
