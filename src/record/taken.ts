import { Problem } from '../problem/problem.js';
import { locationOf } from './identifier-presenter.js';
import { type IdentifierRecord, nativeText } from './identifier-record.js';
import { linkHeader } from './path-headers.js';

/** A refusal that leads to the identifier in the way. */
export function taken(
  code: 'GUID_TAKEN' | 'IDENTIFIER_TAKEN' | 'METADATA_ID_TAKEN' | 'ALTERNATE_ID_TAKEN',
  what: string,
  existing: IdentifierRecord,
  pointer: string,
): Problem {
  const identifier = nativeText(existing);
  const path = locationOf({ identifier });
  return new Problem(code, `${what} already: ${identifier}.`, {
    errors: [{ pointer, detail: `belongs to ${identifier}` }],
    members: { existing: path },
    headers: linkHeader(path, 'related'),
  });
}
