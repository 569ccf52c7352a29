import { type AlternateName, claimOf, gainedBy } from '../registry/alternate-name.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import type { UniqueName } from '../storage/identifiers/name-holders.js';

/** The identifier that an alternate names, which must not be registered. */
export type ClaimedName = Extract<UniqueName, { readonly kind: 'identifier' }> & { readonly pointer: string };

export type Claimant = Pick<IdentifierRecord, 'namingAuthority' | 'guid' | 'localName' | 'alternateIds'>;

/** The names that a record claims by new alternates: those that it does not have yet. */
export function claimsBy(record: Claimant, alternates: readonly AlternateName[]): ClaimedName[] {
  return gainedBy(record, alternates).flatMap(({ name, index }) => {
    const address = claimOf(name, record);
    if (address === null) return [];
    const { namingAuthority } = address;
    return [{ namingAuthority, kind: 'identifier', name, address, pointer: `/alternateIds/${index}` }];
  });
}
