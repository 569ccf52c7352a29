import type { Name } from '../identifier/index.js';
import type { NamingAuthoritySnapshot } from './naming-authority-snapshot.js';

const BY_LOOKUP =
  'If it is a metadata ID or an alternate identifier, POST /identifiers/lookup and the filters of GET /identifiers find what has it.';

/** Why a well-formed text finds no identifier: a sentence for people. @param known the naming authorities that the principal can see. */
export function notRegisteredDetail(name: Name, text: string, known: NamingAuthoritySnapshot): string {
  if (name.type === 'uuid')
    return `${text} is a GUID without its naming authority; send NA/GUID. GET /identifiers/{GUID} and POST /identifiers/lookup find the identifiers that have a GUID.`;
  if (!('namingAuthority' in name)) return `${text} is no name under a naming authority. ${BY_LOOKUP}`;
  if (known.find(name.namingAuthority) !== undefined) return `${text} is well formed but not registered.`;
  return `${text} is not registered: its naming authority does not exist here. ${BY_LOOKUP}`;
}
