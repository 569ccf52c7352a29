import {
  type ConflictReader,
  claimProblem,
  conflictProblem,
  mismatchProblem,
  nameConflictProblem,
} from '../registry/conflict-problem.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import { type IgnorableValues, contradictedMembers, ignoredMembers } from '../registry/ignored-members.js';
import { keyCollision } from '../registry/key-collision.js';
import type { MintCommand } from '../registry/mint-command.js';
import { type Conflicts, expiredIn } from '../storage/identifiers/conflict-finder.js';
import type { MintResult } from './mint-outcome.js';

/**
 * Resolves the conflicts of a mint. The caller has ruled out a replay, which takes precedence.
 * @param asMinted the values with which the identifier with the metadata ID was minted, if `needsValuesAsMinted`.
 * @returns null to try again, if a generated GUID existed, a conflicting reservation has expired, or the conflict is gone.
 */
export function resolveConflicts(
  conflicts: Conflicts,
  command: MintCommand,
  reader: ConflictReader,
  asMinted?: IgnorableValues,
): MintResult | null {
  if (expiredIn(conflicts).length > 0) return null;
  const { metadata, address, alternate, claim, registered, collision } = conflicts;
  if (collision !== null) return keyCollision(collision);
  // Returning a hidden identifier would reveal which one has the metadata ID.
  if (metadata !== null && reader.hides(metadata)) return nameConflictProblem('METADATA_ID_TAKEN', null, '/metadataId');
  if (metadata !== null) return resolveMetadataConflict(metadata, address, command, asMinted);
  if (address !== null && command.guid !== null)
    return conflictProblem('GUID_TAKEN', 'This GUID is registered', address, '/guid');
  if (address !== null && command.localName !== null)
    return conflictProblem('IDENTIFIER_TAKEN', 'This local name is registered', address, '/localName');
  if (claim !== null) return claimProblem(claim, command.guid === null ? '/localName' : '/guid', reader);
  const holder = alternate ?? registered;
  if (holder === null) return null;
  const isHidden = alternate !== null && reader.hides(alternate.record);
  return nameConflictProblem('ALTERNATE_ID_TAKEN', isHidden ? null : holder.record, `/alternateIds/${holder.index}`);
}

/** @param registered the identifier with the requested name, which can be the identifier with the metadata ID. */
function resolveMetadataConflict(
  existing: IdentifierRecord,
  registered: IdentifierRecord | null,
  command: MintCommand,
  asMinted?: IgnorableValues,
): MintResult {
  const { guid, localName, onExisting } = command;
  const ownName = guid !== null ? 'guid' : localName !== null ? 'localName' : null;
  // Returning an identifier with another name would look like success.
  const otherName = ownName !== null && registered?.id !== existing.id ? ownName : null;
  const found = { record: existing, metadataRecord: null };
  if (onExisting === 'match') {
    const differing = [otherName ?? [], contradictedMembers(command, existing, asMinted)].flat();
    if (differing.length > 0 || existing.state === 'withdrawn') return mismatchProblem(existing, differing);
  } else if (onExisting === 'reject' || otherName !== null)
    return mismatchProblem(existing, otherName === null ? [] : [otherName]);
  if (onExisting === 'update') return { ...found, outcome: 'toUpdate' };
  return { ...found, outcome: 'existing', ignored: ignoredMembers(command, existing) };
}

/** Whether a mint must be compared with the values with which the existing identifier was minted. */
export function needsValuesAsMinted(
  command: MintCommand,
  existing: IdentifierRecord | null,
): existing is IdentifierRecord {
  if (existing === null || existing.version === 1 || existing.state === 'withdrawn') return false;
  return command.onExisting === 'match' && ignoredMembers(command, existing).length > 0;
}
