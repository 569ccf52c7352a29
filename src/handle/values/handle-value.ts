import type { IdentifierRecord } from '../../registry/identifier-record.js';

/** Default number of seconds for which a value may be cached: one day, as in the Handle System. */
export const DEFAULT_TTL_SECONDS = 86_400;

/** The bits of permissions, as in the byte of the Handle protocol (RFC 3651 3.1). */
export const PERMISSION = { publicWrite: 1, publicRead: 2, adminWrite: 4, adminRead: 8 } as const;

/** Everyone may read the value, and administrators may also change it; `1110` in texts. */
export const PUBLIC_PERMISSIONS = PERMISSION.adminRead | PERMISSION.adminWrite | PERMISSION.publicRead;

/** A Handle and the index of one of its values, such as the key of an administrator. */
export interface ValueReference {
  readonly handle: string;
  readonly index: number;
}

/** The content of an HS_ADMIN value: an administrator of the record, with permissions. */
export interface AdminData extends ValueReference {
  /** The 12 permission bits of the protocol, from 0x1 (add Handles) to 0x800 (list Handles). */
  readonly permissions: number;
}

/** The content of a value. A text stands for its bytes in UTF-8. */
export type ValueData =
  | { readonly format: 'string'; readonly value: string }
  /** Bytes that are not UTF-8 text. */
  | { readonly format: 'base64'; readonly value: string }
  | { readonly format: 'admin'; readonly value: AdminData }
  | { readonly format: 'vlist'; readonly value: readonly ValueReference[] }
  /** HS_SITE and public keys are kept as the JSON that was sent. */
  | { readonly format: 'site' | 'key'; readonly value: object };

/** How long a value may be cached: a number of seconds, or until a time. */
export type TimeToLive = { readonly seconds: number } | { readonly until: Date };

/** One value of a Handle (RFC 3651 3). */
export interface HandleValue {
  /** From 1 to 2^31 - 1, unique in a record. */
  readonly index: number;
  readonly type: string;
  readonly data: ValueData;
  readonly ttl: TimeToLive;
  /** Bits of `PERMISSION`. */
  readonly permissions: number;
  /** The time of the last change, shown without fractions of a second. */
  readonly timestamp: Date;
  readonly references: readonly ValueReference[];
}

/** The attributes of a record from which values are computed. */
export type ValueSource = Pick<
  IdentifierRecord,
  'namingAuthority' | 'target' | 'metadataId' | 'createdAt' | 'updatedAt'
>;

export function isPublic({ permissions }: HandleValue): boolean {
  return (permissions & PERMISSION.publicRead) !== 0;
}
