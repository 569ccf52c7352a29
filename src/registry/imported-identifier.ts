import type { IdentifierRecord } from './identifier-record.js';
import type { NewIdentifier } from './new-identifier.js';

/** An identifier that comes with the life it had in another registry. */
export interface ImportedIdentifier
  extends NewIdentifier, Pick<IdentifierRecord, 'state' | 'version' | 'createdAt' | 'updatedAt' | 'tombstone'> {}
