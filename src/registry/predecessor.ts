import { Problem } from '../problem/problem.js';
import { canonicalUri } from '@mintmark/identifier';
import type { CanonicalName } from './canonical-name.js';
import { type IdentifierRecord, identifierOf } from './identifier-record.js';
import { denotes } from './key-collision.js';
import type { Address, NamingAuthoritySnapshot } from './naming-authority-snapshot.js';
import { readReplacementName } from './parse-names.js';

/** The previous version of an object, as it is stored: `predecessor-version` of RFC 5829. */
export interface Predecessor extends Pick<CanonicalName, 'canonical' | 'key'> {
  /** The ID of its record, where it was looked up. */
  readonly id?: bigint;
}

/** The previous version that a request names. */
export interface RequestedPredecessor extends CanonicalName {
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
  const { name, canonical } = readReplacementName(text, known, pointer);
  const isHidden = 'namingAuthority' in name && !known.canSee(name.namingAuthority);
  return { ...known.canonicalName(name), canonical, address: known.locate(name), isHidden };
}

/**
 * Decides whether an identifier can replace another one. A name of a naming authority that is not of this service is not
 * looked up. Only the pair of both is checked for a cycle.
 * @param found the record of the requested predecessor; null where it is not registered.
 * @param self the name of the new version; null for a generated one, which nothing names yet.
 * @throws Problem INVALID_PREDECESSOR
 */
export function predecessorOf(
  { canonical, key, comparison, address, isHidden }: RequestedPredecessor,
  found: Pick<IdentifierRecord, 'id' | 'namingAuthority' | 'guid' | 'localName' | 'state' | 'previousVersion'> | null,
  self: CanonicalName | null,
): Predecessor {
  if (self?.comparison === comparison) throw invalidPredecessor('an identifier cannot replace itself');
  if (address === null && !isHidden) return { canonical, key };
  if (found === null || isHidden) throw invalidPredecessor(`${canonical} is not registered`);
  if (found.state === 'reserved') throw invalidPredecessor(`${canonical} is reserved and was never active`);
  const { previousVersion } = found;
  if (self !== null && previousVersion !== null && denotes(previousVersion, self))
    throw invalidPredecessor(`${canonical} itself replaces ${self.canonical}`);
  return { canonical: canonicalUri(identifierOf(found)), key, id: found.id };
}

function invalidPredecessor(why: string): Problem {
  const detail = `previousVersion must name a previous version of the object; ${why}`;
  return new Problem('INVALID_PREDECESSOR', `${detail}.`, { errors: [{ pointer: '/previousVersion', detail }] });
}
