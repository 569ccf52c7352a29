import type { IdentifierRecord } from '../../registry/identifier-record.js';
import type { NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import { readAlternates, readMetadataId } from '../../registry/parse-names.js';
import type { CanonicalName } from '../../registry/canonical-name.js';
import type { UpdateIdentifierDto } from './change-request.dto.js';

/** A parsed change request. An absent member is not changed. */
export interface Change {
  readonly metadata?: CanonicalName | null;
  readonly target?: string | null;
  readonly alternates?: readonly CanonicalName[];
}

/**
 * Parses the identifiers of a request.
 * @throws Problem with a syntax code, or INVALID_REQUEST for an identifier that is too long.
 */
export function readChange(
  { metadataId, target, alternateIds }: UpdateIdentifierDto,
  known: NamingAuthoritySnapshot,
): Change {
  return {
    ...(metadataId !== undefined && {
      metadata: metadataId === null ? null : readMetadataId(metadataId, known, '/metadataId'),
    }),
    ...(target !== undefined && { target }),
    ...(alternateIds !== undefined && { alternates: readAlternates(alternateIds, known, '/alternateIds') }),
  };
}

/** The fingerprint source of a change: canonical JSON, equal for two notations of the same request. */
export function canonicalChange({ metadata, target, alternates }: Change): object {
  return {
    ...(metadata !== undefined && { metadataId: metadata?.canonical ?? null }),
    ...(target !== undefined && { target }),
    ...(alternates !== undefined && { alternateIds: alternates.map(({ canonical }) => canonical) }),
  };
}

/** Whether the record already has all requested values. */
export function isMet({ metadata, target, alternates }: Change, record: IdentifierRecord): boolean {
  return (
    (metadata === undefined || (metadata?.canonical ?? null) === record.metadataId) &&
    (target === undefined || target === record.target) &&
    (alternates === undefined ||
      (alternates.length === record.alternateIds.length &&
        alternates.every(({ canonical }, index) => canonical === record.alternateIds[index])))
  );
}
