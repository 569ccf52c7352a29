import { Problem } from '../problem/problem.js';
import { linkHeader, locationOf } from './identifier-path.js';
import { type IdentifierRecord, nativeText } from './identifier-record.js';

/** 409 with the path of the identifier that has the requested name. */
export function conflictProblem(
  code: 'GUID_TAKEN' | 'IDENTIFIER_TAKEN' | 'METADATA_ID_TAKEN' | 'ALTERNATE_ID_TAKEN',
  what: string,
  existing: Pick<IdentifierRecord, 'namingAuthority' | 'localName'>,
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

const IS_USED = {
  METADATA_ID_TAKEN: 'This metadata ID is used by an identifier',
  ALTERNATE_ID_TAKEN: 'This alternate identifier is used by an identifier',
} as const;

/** 409 for a change to a name of another identifier. */
export function nameConflictProblem(
  code: keyof typeof IS_USED,
  existing: Pick<IdentifierRecord, 'namingAuthority' | 'localName'>,
  pointer: string,
): Problem {
  return conflictProblem(code, IS_USED[code], existing, pointer);
}
