import { Problem } from '../problem/problem.js';
import type { CanonicalName, NameRule } from './canonical-name.js';
import { type IdentifierRecord, nativeText } from './identifier-record.js';
import type { Address, NamingAuthoritySnapshot } from './naming-authority-snapshot.js';
import { readReplacementName } from './parse-names.js';

/** The previous version of an object, as it is stored: `predecessor-version` of RFC 5829. */
export interface Predecessor {
  /** `NA/local` for Handles and CORDRA identifiers, canonical for other names. */
  readonly text: string;
  /** The digest of the comparison key, by which the newer versions of an identifier are found. */
  readonly key: CanonicalName['key'];
  /** The ID of its record, where it was looked up. */
  readonly id?: bigint;
}

/** The previous version that a request names. */
export interface RequestedPredecessor extends Predecessor {
  readonly comparison: string;
  readonly rule: NameRule;
  /** Where it is registered; null where no visible naming authority has it. */
  readonly address: Address | null;
  /**
   * Whether the principal cannot see its naming authority, or the service does not have it; then it counts as not registered. A key
   * with a restricted view cannot tell the two apart.
   */
  readonly isHidden: boolean;
}

/** Parses the name of a previous version in any form. @throws Problem as `readReplacementName` does. */
export function readPredecessor(text: string, known: NamingAuthoritySnapshot, pointer: string): RequestedPredecessor {
  const read = readReplacementName(text, known, pointer);
  const { name } = read;
  const { comparison, rule, key } = known.canonicalName(name);
  return {
    text: read.text,
    key,
    comparison,
    rule,
    address: known.locate(name),
    isHidden: 'namingAuthority' in name && !known.canSee(name.namingAuthority),
  };
}

/**
 * Decides whether an identifier can replace another one. A name of a naming authority that is not of this service is not
 * looked up. Only the pair of both is checked for a cycle.
 * @param found the record of the requested predecessor; null where it is not registered.
 * @param self the name of the new version; null for a generated one, which nothing names yet.
 * @throws Problem INVALID_PREDECESSOR
 */
export function predecessorOf(
  { text, key, comparison, address, isHidden }: RequestedPredecessor,
  found: Pick<IdentifierRecord, 'id' | 'namingAuthority' | 'localName' | 'state' | 'replaces'> | null,
  self: { readonly comparison: string; readonly text: string } | null,
): Predecessor {
  if (self?.comparison === comparison) throw invalidPredecessor('an identifier cannot replace itself');
  if (address === null && !isHidden) return { text, key };
  if (found === null || isHidden) throw invalidPredecessor(`${text} is not registered`);
  if (found.state === 'reserved') throw invalidPredecessor(`${text} is reserved and was never active`);
  if (self !== null && found.replaces === self.text) throw invalidPredecessor(`${text} itself replaces ${self.text}`);
  return { text: nativeText(found), key, id: found.id };
}

function invalidPredecessor(why: string): Problem {
  const detail = `replaces must name a previous version of the object; ${why}`;
  return new Problem('INVALID_PREDECESSOR', `${detail}.`, { errors: [{ pointer: '/replaces', detail }] });
}
