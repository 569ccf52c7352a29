import { type Name, type RepairCode } from '@mintmark/identifier';
import { Problem, malformed } from '../problem/problem.js';
import type { IdentifierRecord } from './identifier-record.js';
import type { Address, NamingAuthoritySnapshot } from './naming-authority-snapshot.js';

const BY_LOOKUP =
  'If it is a metadata ID or an alternate identifier, POST /identifiers/lookup and the filters of GET /identifiers find the identifiers that have it.';

export interface ResolvedIdentifier {
  readonly record: IdentifierRecord;
  readonly name: Name;
  /** How the text differs from the name that was found. */
  readonly repairs: readonly RepairCode[];
}

/**
 * Finds a visible identifier by a text in any form: by the exact text or, if that fails, by the repaired text.
 * @throws Problem IDENTIFIER_NOT_FOUND, or with a syntax code.
 */
export async function resolveIdentifier(
  text: string,
  known: NamingAuthoritySnapshot,
  reader: { find(address: Address): Promise<IdentifierRecord | null> },
  pointer: string,
): Promise<ResolvedIdentifier> {
  const exact = known.exactHandle(text);
  const named = exact === null ? null : await reader.find(exact.address);
  if (exact !== null && named !== null) return { record: named, name: exact.name, repairs: [] };
  const read = known.recognize(text);
  if (!read.ok) throw malformed(read.fault, pointer);
  const { name, normalized } = read.value;
  const address = known.locate(name);
  const record = address === null ? null : await reader.find(address);
  if (record !== null) return { record, name, repairs: read.repairs };
  throw new Problem('IDENTIFIER_NOT_FOUND', notRegisteredDetail(name, normalized, known));
}

/** Explains why a well-formed text finds no identifier. */
export function notRegisteredDetail(name: Name, text: string, known: NamingAuthoritySnapshot): string {
  if (name.type === 'uuid')
    return `${text} is a GUID without its naming authority; send NA/GUID. GET /identifiers/{GUID} and POST /identifiers/lookup find the identifiers that have a GUID.`;
  if (!('namingAuthority' in name)) return `${text} is not a name under a naming authority. ${BY_LOOKUP}`;
  if (known.find(name.namingAuthority) !== undefined) return `${text} is well formed but not registered.`;
  return `${text} is not registered: its naming authority does not exist here. ${BY_LOOKUP}`;
}
