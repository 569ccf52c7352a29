import type { IdentifierRecord } from '../record/identifier-record.js';
import type { KnownAuthorities } from '../record/known-authorities.js';
import { readAlternates, readMetadataId } from '../record/read-names.js';
import type { StoredName } from '../record/stored-name.js';
import type { ChangeRequestDto } from './change-request.dto.js';

/** A request for change with every identifier read. An absent member stays as it is. */
export interface Change {
  readonly metadata?: StoredName | null;
  readonly target?: string | null;
  readonly alternates?: readonly StoredName[];
}

/**
 * Reads the identifiers of a request.
 * @throws Problem with a syntax code for a malformed one, INVALID_REQUEST for one that is too long to be kept.
 */
export function readChange({ metadataId, target, alternateIds }: ChangeRequestDto, known: KnownAuthorities): Change {
  return {
    ...(metadataId !== undefined && {
      metadata: metadataId === null ? null : readMetadataId(metadataId, known, '/metadataId'),
    }),
    ...(target !== undefined && { target }),
    ...(alternateIds !== undefined && { alternates: readAlternates(alternateIds, known, '/alternateIds') }),
  };
}

/** What a change means, as JSON whose order is always the same, free of spellings. */
export function changeMeaning({ metadata, target, alternates }: Change): object {
  return {
    ...(metadata !== undefined && { metadataId: metadata?.canonical ?? null }),
    ...(target !== undefined && { target }),
    ...(alternates !== undefined && { alternateIds: alternates.map(({ canonical }) => canonical) }),
  };
}

/** Whether a record has all of it already, so that there is nothing to remember. */
export function isMet({ metadata, target, alternates }: Change, record: IdentifierRecord): boolean {
  return (
    (metadata === undefined || (metadata?.canonical ?? null) === record.metadataId) &&
    (target === undefined || target === record.target) &&
    (alternates === undefined ||
      (alternates.length === record.alternateIds.length &&
        alternates.every(({ canonical }, index) => canonical === record.alternateIds[index])))
  );
}
