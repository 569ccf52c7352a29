import { Problem } from '../problem/problem.js';
import { type IdentifierRecord, nativeText } from './identifier-record.js';
import { locationOf, tombstoneOf } from './identifier-presenter.js';
import { linkHeader } from './path-headers.js';

/**
 * The answer to whoever resolves a withdrawn identifier: its tombstone, and a link to what replaces it.
 */
export function withdrawn(record: IdentifierRecord): Problem {
  const identifier = nativeText(record);
  const tombstone = tombstoneOf(record);
  const replacedBy = tombstone?.replacedBy ?? null;
  const instead = replacedBy === null ? '' : ` Use ${replacedBy} instead.`;
  return new Problem('IDENTIFIER_WITHDRAWN', `${identifier} was withdrawn: ${tombstone?.reason ?? ''}${instead}`, {
    members: { identifier, tombstone },
    headers: replacedBy === null ? {} : linkHeader(targetOf(replacedBy), 'successor-version'),
  });
}

/** Where a replacement is found: a Handle here, whatever is a URI already by itself. */
function targetOf(replacedBy: string): string {
  return /^(info:fedora\/|urn:uuid:)/.test(replacedBy) ? replacedBy : locationOf({ identifier: replacedBy });
}
