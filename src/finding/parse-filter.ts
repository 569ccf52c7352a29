import type { Principal } from '../access/principal.js';
import { parseNamingAuthority } from '@mintmark/identifier';
import { malformed } from '../problem/problem.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import type { PageFilter } from '../storage/identifiers/page-filter.js';
import type { CanonicalName } from '../registry/canonical-name.js';
import { requireClearEnd } from '../registry/parse-names.js';
import type { State } from '../registry/identifier-record.js';
import { searchedOpaqueName } from '../registry/opaque-metadata-id.js';
import { readLimit } from '../registry/timestamp.js';

/** A filter for identifiers as a client writes it; all given members must match. */
export interface IdentifierFilter {
  /** In any form. */
  readonly metadataId?: string;
  /** In any form. */
  readonly alternateId?: string;
  readonly namingAuthority?: string;
  readonly state?: State;
  /** Exactly as registered. */
  readonly target?: string;
  readonly hasMetadataId?: boolean;
  readonly hasTarget?: boolean;
  /** A time or a date of RFC 3339, inclusive. */
  readonly createdFrom?: string;
  /** As `createdFrom`, but exclusive. */
  readonly createdBefore?: string;
}

/** Parses a filter. @throws Problem with a syntax code, or INVALID_REQUEST for an invalid date, with a JSON Pointer into the filter. */
export function parseFilter(filter: IdentifierFilter, all: NamingAuthoritySnapshot, principal: Principal): PageFilter {
  const known = principal.viewOf(all);
  const { metadataId, alternateId, namingAuthority, state, target, createdFrom, createdBefore } = filter;
  const { metadata, opaqueMetadata } = metadataIn(metadataId, known, namingAuthority);
  // Members are listed, because spreading objects takes a tenth of a look-up by metadata ID.
  return {
    metadata,
    opaqueMetadata,
    alternate: nameOf(alternateId, known, '/alternateId'),
    namingAuthorities: principal.hasRestrictedView ? known.prefixes : undefined,
    curated: principal.curatedIn(known),
    namingAuthority: namingAuthority === undefined ? undefined : prefixOf(namingAuthority, known),
    state,
    target,
    hasMetadata: filter.hasMetadataId,
    hasTarget: filter.hasTarget,
    createdFrom: createdFrom === undefined ? undefined : readLimit(createdFrom, '/createdFrom'),
    createdBefore: createdBefore === undefined ? undefined : readLimit(createdBefore, '/createdBefore'),
  };
}

/** A text that is not a recognized name can be an opaque metadata ID; a recognized name can be both. */
function metadataIn(
  text: string | undefined,
  known: NamingAuthoritySnapshot,
  namingAuthority: string | undefined,
): Pick<PageFilter, 'metadata' | 'opaqueMetadata'> {
  const opaqueMetadata = text === undefined ? undefined : searchedOpaqueName(text, known, namingAuthority);
  if (text === undefined || opaqueMetadata === undefined) return { metadata: nameOf(text, known, '/metadataId') };
  const read = known.readName(text);
  return { metadata: read.ok ? read.value : undefined, opaqueMetadata };
}

function nameOf(text: string | undefined, known: NamingAuthoritySnapshot, pointer: string): CanonicalName | undefined {
  if (text === undefined) return undefined;
  requireClearEnd(text, known, pointer);
  const read = known.readName(text);
  if (!read.ok) throw malformed(read.fault, pointer);
  return read.value;
}

/** A visible prefix in the case of its creation; any other prefix unchanged. */
function prefixOf(text: string, known: NamingAuthoritySnapshot): string {
  const read = parseNamingAuthority(text);
  if (!read.ok) throw malformed(read.fault, '/namingAuthority');
  return known.find(text)?.prefix ?? text;
}
