import { isLongLocalName } from '../registry/canonical-name.js';
import type { NamingAuthority } from '../registry/naming-authority.js';
import { type Address, type NamingAuthoritySnapshot, addressIn } from '../registry/naming-authority-snapshot.js';
import { guidIn } from '../registry/uuid.js';

/** The location of a Handle of this service, registered or not. */
export interface HandleLocation {
  readonly kind: 'here';
  readonly authority: NamingAuthority;
  /** As the client wrote it, or the GUID of a CORDRA identifier (see `guidIn`). */
  readonly localName: string;
  /** Null for a local name that cannot be registered. */
  readonly address: Address | null;
}

/** `foreign`: the prefix is unknown to this service or hidden from the principal, or there is no "/". */
export type Location = HandleLocation | { readonly kind: 'foreign' } | { readonly kind: 'tooLong' };

export function locationIn(known: NamingAuthoritySnapshot, handle: string): Location {
  const slash = handle.indexOf('/');
  const authority = slash < 0 ? undefined : known.find(handle.slice(0, slash));
  if (authority === undefined) return { kind: 'foreign' };
  const localName = handle.slice(slash + 1);
  if (isLongLocalName(localName)) return { kind: 'tooLong' };
  const name = authority.profile === 'cordra' ? guidIn(localName) : localName;
  if (name === undefined || name === '') return { kind: 'here', authority, localName, address: null };
  return { kind: 'here', authority, localName: name, address: addressIn(authority, name) };
}
