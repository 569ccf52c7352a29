/**
 * Keys: texts that are equal exactly when two names are the same. They are computed here and nowhere else.
 *
 * ASCII letters of a naming authority have no case, and neither has any part of a Handle under `0.NA/`. A
 * local name has case unless its namespace says otherwise (HS-04, HS-05). Folding is to capitals and leaves every other
 * script alone. PIDs, dissemination URIs and UUIDs are compared in their normal form (FED-02, UUID-05).
 *
 * A CORDRA identifier has the key of the Handle that it is (CID-03), so the two readings of one text share a key.
 */
import { upperAscii } from './grammar/ascii.js';
import { formatLocalName } from './forms/cordra-id.js';
import { formatFedoraDissemination } from './forms/fedora-dissemination.js';
import { formatFedoraUri } from './forms/fedora-uri.js';
import type { CordraId, Name } from './types.js';
import { namingAuthorityKey } from './forms/naming-authority.js';

export interface KeyOptions {
  /** Whether local names are compared without the case of ASCII letters (HS-05). Default false. */
  readonly caseInsensitive?: boolean | undefined;
}

/** The key of a whole name, a CORDRA query and fragment included. */
export function comparisonKey(name: Name, options: KeyOptions = {}): string {
  switch (name.type) {
    case 'cordra':
      return handleKey(name.namingAuthority, formatLocalName(name), options);
    case 'handle':
      return handleKey(name.namingAuthority, name.localName, options);
    case 'fedora-pid':
      return formatFedoraUri(name);
    case 'fedora-dissemination':
      return formatFedoraDissemination(name);
    case 'uuid':
      return `urn:uuid:${name.hex}`;
  }
}

/** Whether two names are the same thing. */
export function sameName(a: Name, b: Name, options: KeyOptions = {}): boolean {
  return comparisonKey(a, options) === comparisonKey(b, options);
}

/** The key of the record of a CORDRA identifier: naming authority "/" guid, without query and fragment. */
export function registryKey(id: CordraId): string {
  return `${id.namingAuthority}/${id.guid}`;
}

function handleKey(namingAuthority: string, localName: string, { caseInsensitive = false }: KeyOptions): string {
  const prefix = namingAuthorityKey(namingAuthority);
  const suffix = caseInsensitive || prefix === '0.NA' ? upperAscii(localName) : localName;
  return `hdl:${prefix}/${suffix}`;
}
