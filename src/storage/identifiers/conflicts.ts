import type { IdentifierRecord } from '../../registry/identifier-record.js';

export interface Conflicts {
  readonly metadata: IdentifierRecord | null;
  readonly address: IdentifierRecord | null;
  readonly alternate: { readonly record: IdentifierRecord; readonly index: number } | null;
  /** The identifier with an alternate that claims the requested name. */
  readonly claim: IdentifierRecord | null;
  /** The identifier that an alternate names. */
  readonly registered: { readonly record: IdentifierRecord; readonly index: number } | null;
  /** Where the request has a name whose key another name has; null where no keys collide. */
  readonly collision: string | null;
  /** Whether a synchronous standby is configured, so that a result that is made of these rows must wait for it. */
  readonly hasStandby: boolean;
}

export function expiredIn({ metadata, alternate, claim }: Conflicts): IdentifierRecord[] {
  return [
    ...(metadata?.metadataId === null ? [metadata] : []),
    ...(alternate?.record.alternateIds.length === 0 ? [alternate.record] : []),
    ...(claim?.alternateIds.length === 0 ? [claim] : []),
  ];
}
