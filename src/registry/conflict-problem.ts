import { Problem } from '../problem/problem.js';
import { linkHeader, locationOf } from './identifier-path.js';
import { type IdentifierRecord, nativeText } from './identifier-record.js';

/** 409 with the path of the identifier that has the requested name. */
export function conflictProblem(
  code: 'GUID_TAKEN' | 'IDENTIFIER_TAKEN' | 'METADATA_ID_TAKEN' | 'ALTERNATE_ID_TAKEN',
  what: string,
  existing: IdentifierRecord,
  pointer: string,
): Problem {
  const identifier = nativeText(existing);
  const path = locationOf({ identifier });
  return new Problem(code, `${what} already: ${identifier}.`, {
    errors: [{ pointer, detail: `is used by ${identifier}` }],
    members: { existing: path, identifier },
    headers: linkHeader(path, 'related'),
  });
}
