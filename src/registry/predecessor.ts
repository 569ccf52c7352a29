import { Problem } from '../problem/problem.js';
import { canonicalUri } from '@mintmark/identifier';
import type { CanonicalName } from './canonical-name.js';
import { type IdentifierRecord, identifierOf } from './identifier-record.js';
import { denotes } from './key-collision.js';
import type { NamingAuthoritySnapshot } from './naming-authority-snapshot.js';
import { type OtherIdentifier, readReplacementName } from './parse-names.js';

/** The previous version of an object as stored: `predecessor-version` of RFC 5829. */
export interface Predecessor extends Pick<CanonicalName, 'canonical' | 'key' | 'keyFoldsCase' | 'needsHandle'> {
  /** The ID of the record, if the record was looked up. */
  readonly id?: bigint;
}

export type RequestedPredecessor = CanonicalName & OtherIdentifier;

/** Parses the name of a previous version in any form. @throws Problem as `readReplacementName` does. */
export function readPredecessor(text: string, known: NamingAuthoritySnapshot, pointer: string): RequestedPredecessor {
  const { name, ...other } = readReplacementName(text, known, pointer);
  return { ...known.canonicalName(name), ...other };
}

/**
 * Decides whether an identifier can replace another one. Detects only cycles of these two identifiers.
 * @param self the name of the new version; null for a generated name, to which no identifier can refer yet.
 * @throws Problem INVALID_PREDECESSOR
 */
export function predecessorOf(
  { canonical, key, keyFoldsCase, needsHandle, comparison, address, isHidden }: RequestedPredecessor,
  found: Pick<IdentifierRecord, 'id' | 'namingAuthority' | 'guid' | 'localName' | 'state' | 'previousVersion'> | null,
  self: CanonicalName | null,
): Predecessor {
  if (self?.comparison === comparison) throw invalidPredecessor('an identifier cannot replace itself');
  if (address === null && !isHidden) return { canonical, key, keyFoldsCase, needsHandle };
  if (found === null || isHidden) throw invalidPredecessor(`${canonical} is not registered`);
  if (found.state === 'reserved') throw invalidPredecessor(`${canonical} is reserved and was never active`);
  const { previousVersion } = found;
  if (self !== null && previousVersion !== null && denotes(previousVersion, self))
    throw invalidPredecessor(`${canonical} itself replaces ${self.canonical}`);
  return { canonical: canonicalUri(identifierOf(found)), key, keyFoldsCase, needsHandle, id: found.id };
}

function invalidPredecessor(why: string): Problem {
  const detail = `previousVersion must name a previous version of the object; ${why}`;
  return new Problem('INVALID_PREDECESSOR', `${detail}.`, { errors: [{ pointer: '/previousVersion', detail }] });
}
