import type { Name } from '../identifier/index.js';
import type { CanonicalName } from './canonical-name.js';

/** A mint request whose identifiers are parsed. */
export interface MintCommand {
  readonly namingAuthority: string;
  readonly metadata: (CanonicalName & { readonly name: Name }) | null;
  readonly mintMetadataId: boolean;
  /** Null for the target of the naming authority's template, if it has one. */
  readonly target: string | null;
  readonly alternates: readonly CanonicalName[];
  /** 32 upper-case hexadecimal digits of an identifier to register; null to mint one. */
  readonly guid: string | null;
  /** The local name of an identifier to register under the profile "handle"; null to mint one. */
  readonly localName: string | null;
  /** The end of the lease of a reservation; null for an active identifier. */
  readonly leaseUntil: Date | null;
  readonly onExisting: 'return' | 'reject';
}
