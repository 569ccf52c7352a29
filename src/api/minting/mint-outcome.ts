import type { IdentifierRecord } from '../../registry/identifier-record.js';
import type { Conflicts } from '../../storage/identifiers/conflict-finder.js';
import type { NewIdentifier } from '../../registry/new-identifier.js';
import { requireSameRequest } from '../../storage/idempotency.js';
import { conflictProblem } from '../representation/conflict-problem.js';
import type { MintCommand } from '../../registry/mint-command.js';

/** The result of a mint. */
export interface MintOutcome {
  /**
   * `replayed`: an earlier request with the same idempotency key minted it; `existing`: its metadata ID existed;
   * `found`: a replay of `existing`.
   */
  readonly outcome: 'created' | 'replayed' | 'existing' | 'found';
  readonly record: IdentifierRecord;
  readonly metadataRecord: IdentifierRecord | null;
}

/**
 * Resolves the conflicts of a mint.
 * @returns null to try again: a generated GUID existed, or the conflict is gone.
 * @throws Problem IDEMPOTENCY_KEY_REUSED, METADATA_ID_TAKEN, GUID_TAKEN, IDENTIFIER_TAKEN or ALTERNATE_ID_TAKEN
 */
export function resolveConflicts(
  conflicts: Conflicts,
  command: MintCommand,
  { address, request }: NewIdentifier,
): MintOutcome | null {
  if (conflicts.request !== null && request !== null) {
    requireSameRequest(conflicts.request.fingerprint, request.fingerprint);
    return { outcome: 'replayed', record: conflicts.request.record, metadataRecord: conflicts.requestMetadataRecord };
  }
  if (conflicts.metadata !== null) return resolveMetadataConflict(conflicts.metadata, conflicts.address, command);
  if (conflicts.address !== null && command.guid !== null)
    throw conflictProblem('GUID_TAKEN', 'This GUID is registered', conflicts.address, '/guid');
  if (conflicts.address !== null && command.localName !== null && address.guid === null) {
    throw conflictProblem('IDENTIFIER_TAKEN', 'This local name is registered', conflicts.address, '/localName');
  }
  if (conflicts.alternate !== null) {
    const { record, index } = conflicts.alternate;
    throw conflictProblem(
      'ALTERNATE_ID_TAKEN',
      'This alternate identifier is used by an identifier',
      record,
      `/alternateIds/${index}`,
    );
  }
  return null;
}

function resolveMetadataConflict(
  existing: IdentifierRecord,
  registered: IdentifierRecord | null,
  command: MintCommand,
): MintOutcome {
  // Returning a different identifier would look like success.
  const isOther = (command.guid !== null || command.localName !== null) && registered?.id !== existing.id;
  if (command.onExisting === 'return' && !isOther)
    return { outcome: 'existing', record: existing, metadataRecord: null };
  throw conflictProblem('METADATA_ID_TAKEN', 'This metadata ID is used by an identifier', existing, '/metadataId');
}
