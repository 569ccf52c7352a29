import type { Name } from '../identifier/index.js';
import type { CanonicalName } from './canonical-name.js';

/** A mint request with every identifier read: what is asked for, free of spellings. */
export interface MintCommand {
  readonly namingAuthority: string;
  readonly metadata: (CanonicalName & { readonly name: Name }) | null;
  readonly mintMetadataId: boolean;
  /** Null for the one that the naming authority's template gives, if it has one. */
  readonly target: string | null;
  readonly alternates: readonly CanonicalName[];
  /** 32 hex digits in capitals of an identifier to register; null to mint one. */
  readonly guid: string | null;
  /** Local name of an identifier to register under a naming authority of the profile "handle"; null to mint one. */
  readonly localName: string | null;
  /** Until when to reserve the identifier; null for an active one. */
  readonly leaseUntil: Date | null;
  readonly onExisting: 'return' | 'reject';
}
