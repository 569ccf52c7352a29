import type { Name } from '../identifier/index.js';
import { Problem, malformed } from '../problem/problem.js';
import type { IdentifierRecord } from './identifier-record.js';
import type { Address, NamingAuthoritySnapshot } from './naming-authority-snapshot.js';

export interface ResolvedIdentifier {
  readonly record: IdentifierRecord;
  readonly name: Name;
}

/**
 * Finds a visible identifier in any form.
 * @param pointer where the request has the text.
 * @throws Problem IDENTIFIER_NOT_FOUND, or with a syntax code.
 */
export async function resolveIdentifier(
  text: string,
  known: NamingAuthoritySnapshot,
  reader: { find(address: Address): Promise<IdentifierRecord | null> },
  pointer: string,
): Promise<ResolvedIdentifier> {
  const read = known.recognize(text);
  if (!read.ok) throw malformed(read.fault, pointer);
  const { name, normalized } = read.value;
  const address = known.locate(name);
  const record = address === null ? null : await reader.find(address);
  if (record !== null) return { record, name };
  throw new Problem('IDENTIFIER_NOT_FOUND', `${normalized} is well formed but not registered.`);
}
