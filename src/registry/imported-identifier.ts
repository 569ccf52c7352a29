import type { ChangeKind, PatchOperation } from './change.js';
import type { IdentifierRecord } from './identifier-record.js';
import type { NewIdentifier } from './new-identifier.js';

/** A new identifier with its state and times in another registry. */
export interface ImportedIdentifier
  extends NewIdentifier, Pick<IdentifierRecord, 'state' | 'version' | 'createdAt' | 'updatedAt' | 'tombstone'> {
  /** Of its first event in this registry. */
  readonly kind: ChangeKind;
  readonly patch: readonly PatchOperation[];
}
