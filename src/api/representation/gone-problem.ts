import { Problem } from '../../problem/problem.js';
import { type IdentifierRecord, nativeText, serializeTombstone } from '../../registry/identifier-record.js';
import { linkHeader, locationOf } from '../../registry/identifier-path.js';

/** 410 with the tombstone and a link to the replacement. */
export function goneProblem(record: IdentifierRecord): Problem {
  const identifier = nativeText(record);
  const tombstone = serializeTombstone(record);
  const replacedBy = tombstone?.replacedBy ?? null;
  const instead = replacedBy === null ? '' : ` Use ${replacedBy} instead.`;
  return new Problem('IDENTIFIER_WITHDRAWN', `${identifier} was withdrawn: ${tombstone?.reason ?? ''}${instead}`, {
    members: { identifier, tombstone },
    headers: replacedBy === null ? {} : linkHeader(targetOf(replacedBy), 'successor-version'),
  });
}

/** A path for a Handle, otherwise the URI itself. */
function targetOf(replacedBy: string): string {
  return /^(info:fedora\/|urn:uuid:)/.test(replacedBy) ? replacedBy : locationOf({ identifier: replacedBy });
}
