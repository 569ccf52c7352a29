import type { MintContext } from '../../registry/build-identifier.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import type { MintCommand } from '../../registry/mint-command.js';
import type { NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import type { NewIdentifier } from '../../registry/new-identifier.js';
import type { Problem } from '../../problem/problem.js';
import { type Conflicts, expiredIn } from '../../storage/identifiers/conflict-finder.js';
import { keyReused, requestInFlight } from '../../storage/idempotency.js';
import { conflictProblem } from '../representation/conflict-problem.js';

export interface MintJob {
  readonly command: MintCommand;
  readonly context: MintContext;
  /** The naming authorities with which the command was parsed; it is built with the same ones. */
  readonly known: NamingAuthoritySnapshot;
}

/** The identifier of a mint. */
export interface MintOutcome {
  /**
   * `replayed`: an earlier request with the same idempotency key minted it; `existing`: its metadata ID existed;
   * `found`: a replay of `existing`.
   */
  readonly outcome: 'created' | 'replayed' | 'existing' | 'found';
  readonly record: IdentifierRecord;
  readonly metadataRecord: IdentifierRecord | null;
}

export type MintResult = MintOutcome | Problem;

export interface NamedResult {
  readonly clientRef: string | null;
  readonly result: MintResult;
}

/** A mint whose result is final. */
export interface DecidedMint {
  readonly job: MintJob;
  readonly result: MintResult;
}

/** A mint whose identifier is built, before the database has accepted it. */
export interface Candidate {
  readonly job: MintJob;
  /** Counted from 1; each attempt after a conflict builds a new identifier. */
  readonly attempt: number;
  readonly item: NewIdentifier;
}

/** The candidates of one step: those that it decided, and the others. */
export interface Decisions {
  readonly decided: readonly DecidedMint[];
  readonly undecided: readonly Candidate[];
}

/**
 * Resolves the conflicts of a mint. A stored result of the same request takes precedence; the caller has looked for it.
 * @returns the identifier of an earlier request or with the same metadata ID; the Problem IDEMPOTENCY_KEY_REUSED,
 * REQUEST_IN_FLIGHT, METADATA_ID_TAKEN, GUID_TAKEN, IDENTIFIER_TAKEN or ALTERNATE_ID_TAKEN; null to try again: a
 * generated GUID existed, a conflicting reservation has expired, or the conflict is gone.
 */
export function resolveConflicts(
  conflicts: Conflicts,
  command: MintCommand,
  request: NewIdentifier['request'],
): MintResult | null {
  if (request !== null) {
    const earlier = conflicts.request;
    if (earlier !== null) {
      if (earlier.fingerprint !== request.fingerprint) return keyReused();
      return { outcome: 'replayed', record: earlier.record, metadataRecord: conflicts.requestMetadataRecord };
    }
    if (conflicts.storedResult !== null || conflicts.otherRequest) return keyReused();
    if (conflicts.isInFlight) return requestInFlight();
  }
  if (expiredIn(conflicts).length > 0) return null;
  const { metadata, address, alternate } = conflicts;
  if (metadata !== null) return resolveMetadataConflict(metadata, address, command);
  if (address !== null && command.guid !== null)
    return conflictProblem('GUID_TAKEN', 'This GUID is registered', address, '/guid');
  if (address !== null && command.localName !== null)
    return conflictProblem('IDENTIFIER_TAKEN', 'This local name is registered', address, '/localName');
  if (alternate === null) return null;
  return conflictProblem(
    'ALTERNATE_ID_TAKEN',
    'This alternate identifier is used by an identifier',
    alternate.record,
    `/alternateIds/${alternate.index}`,
  );
}

/** @param registered the identifier with the requested name; it may be the one with the metadata ID. */
function resolveMetadataConflict(
  existing: IdentifierRecord,
  registered: IdentifierRecord | null,
  { guid, localName, onExisting }: MintCommand,
): MintResult {
  // Returning a different identifier would look like success.
  const isOther = (guid !== null || localName !== null) && registered?.id !== existing.id;
  if (onExisting === 'return' && !isOther) return { outcome: 'existing', record: existing, metadataRecord: null };
  return conflictProblem('METADATA_ID_TAKEN', 'This metadata ID is used by an identifier', existing, '/metadataId');
}
