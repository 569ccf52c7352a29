import type { Name } from '../identifier/index.js';
import { Problem, malformed } from '../problem/problem.js';
import type { IdentifierReader } from './identifier-reader.js';
import type { IdentifierRecord } from './identifier-record.js';
import type { KnownAuthorities } from './known-authorities.js';

/** A record, and the name by which it was asked for. */
export interface Registered {
  readonly record: IdentifierRecord;
  readonly name: Name;
}

/**
 * Finds the identifier that a path names in any form.
 * @param sees whether who asks sees what belongs to a naming authority.
 * @throws Problem IDENTIFIER_NOT_FOUND, also for what is hidden, or a syntax code when it is malformed.
 */
export async function findRegistered(
  text: string,
  known: KnownAuthorities,
  reader: Pick<IdentifierReader, 'find'>,
  sees: (namingAuthority: string) => boolean,
): Promise<Registered> {
  const read = known.recognize(text);
  if (!read.ok) throw malformed(read.fault, '#path/identifier');
  const { name, normalized } = read.value;
  // Asked first: that a local name is a slip tells that its naming authority is registered here.
  const isHidden = !('namingAuthority' in name && sees(name.namingAuthority));
  const address = isHidden ? null : known.locate(name, text, '#path/identifier');
  const record = address === null ? null : await reader.find(address);
  if (record !== null) return { record, name };
  throw new Problem('IDENTIFIER_NOT_FOUND', `${normalized} is well formed, and nothing is registered under it here.`);
}
