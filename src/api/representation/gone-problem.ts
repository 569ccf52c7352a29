import { Problem } from '../../problem/problem.js';
import { type IdentifierRecord, nativeText } from '../../registry/identifier-record.js';
import { linkHeader, locationOf, tombstoneOf } from './identifier-presenter.js';

/** The problem of a withdrawn identifier: its tombstone, and a link to the replacement. */
export function goneProblem(record: IdentifierRecord): Problem {
  const identifier = nativeText(record);
  const tombstone = tombstoneOf(record);
  const replacedBy = tombstone?.replacedBy ?? null;
  const instead = replacedBy === null ? '' : ` Use ${replacedBy} instead.`;
  return new Problem('IDENTIFIER_WITHDRAWN', `${identifier} was withdrawn: ${tombstone?.reason ?? ''}${instead}`, {
    members: { identifier, tombstone },
    headers: replacedBy === null ? {} : linkHeader(targetOf(replacedBy), 'successor-version'),
  });
}

/** The location of a replacement: a path for a Handle, otherwise its own URI. */
function targetOf(replacedBy: string): string {
  return /^(info:fedora\/|urn:uuid:)/.test(replacedBy) ? replacedBy : locationOf({ identifier: replacedBy });
}
