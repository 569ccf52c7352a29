/**
 * Comparison keys: texts that are equal exactly when two names denote the same thing.
 *
 * ASCII letters of a naming authority are case-insensitive, and so is every part of a Handle under `0.NA/` (R-15,
 * A local name is case-sensitive unless its namespace defines otherwise (HS-04, HS-05). The key has ASCII letters
 * of a case-insensitive part in upper case, and other scripts unchanged. PIDs, dissemination URIs and UUIDs are compared
 * in their normal form (FED-02, UUID-05).
 *
 * A CORDRA identifier has the key of its Handle (CID-03).
 */
import { upperAscii } from './grammar/ascii.js';
import { formatLocalName } from './forms/cordra-id.js';
import { formatFedoraDissemination } from './forms/fedora-dissemination.js';
import { formatFedoraUri } from './forms/fedora-uri.js';
import type { CordraId, Name } from './types.js';
import { namingAuthorityKey } from './forms/naming-authority.js';

export interface KeyOptions {
  /** Whether local names are compared without regard to the case of ASCII letters (HS-05). Default false. */
  readonly caseInsensitive?: boolean | undefined;
}

/** The key of a complete name, including the query and fragment of a CORDRA identifier. */
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

/** Whether two names denote the same thing. */
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
