import { Problem } from '../problem/problem.js';
import { type IdentifierRecord, locationOf, nativeText, serializeTombstone } from './identifier-record.js';

type ConflictCode = 'GUID_TAKEN' | 'IDENTIFIER_TAKEN' | 'METADATA_ID_TAKEN' | 'ALTERNATE_ID_TAKEN';

/** What a client may see of the identifier that has a requested name. */
export interface ConflictReader {
  canSee: (namingAuthority: string) => boolean;
  curates: (namingAuthority: string) => boolean;
  /** Whether the values of a record are hidden. The client must not learn which identifier has one of these values. */
  hides: (record: Holder) => boolean;
}

type Holder = Pick<IdentifierRecord, 'namingAuthority' | 'localName' | 'tombstone'>;

/** Returns the 409 for a name that another identifier has, with the path of that identifier. @param existing null if it is hidden. */
export function conflictProblem(
  code: ConflictCode,
  what: string,
  existing: Pick<IdentifierRecord, 'namingAuthority' | 'localName'> | null,
  pointer: string,
): Problem {
  if (existing === null)
    return new Problem(code, `${what} already.`, { errors: [{ pointer, detail: 'is used by another identifier' }] });
  const identifier = nativeText(existing);
  return new Problem(code, `${what} already: ${identifier}.`, {
    errors: [{ pointer, detail: `is used by ${identifier}` }],
    members: { existing: locationOf({ identifier }), identifier },
  });
}

/** Returns the 409 for the registration of a name that an alternate identifier of `holder` claims. */
export function claimProblem(holder: Holder, pointer: string, reader: ConflictReader): Problem {
  const shown = reader.canSee(holder.namingAuthority) && !reader.hides(holder) ? holder : null;
  return conflictProblem('ALTERNATE_ID_TAKEN', 'This name is an alternate identifier of an identifier', shown, pointer);
}

/** The identifier (`NA/local`) that has a requested value according to a problem, or null. */
export function valueHolderIn(result: unknown): string | null {
  if (!(result instanceof Problem) || !(result.code in IS_USED)) return null;
  const identifier = result.extensions.members?.identifier;
  return typeof identifier === 'string' ? identifier : null;
}

/**
 * A stored result as a client may see it. Another key of the client can see less than the key of the first request, and the identifier can
 * have been withdrawn for legal reasons since then.
 */
export function shownConflict<T>(result: T, reader: Pick<ConflictReader, 'canSee'>, isHidden = false): T | Problem {
  if (!(result instanceof Problem)) return result;
  const { members, errors = [] } = result.extensions;
  const identifier = members?.identifier;
  if (typeof identifier !== 'string') return result;
  if (reader.canSee(identifier.slice(0, identifier.indexOf('/'))) && !isHidden) return result;
  return conflictProblem(
    result.code as ConflictCode,
    'This name is used by an identifier',
    null,
    errors[0]?.pointer ?? '',
  );
}

const IS_USED = {
  METADATA_ID_TAKEN: 'This metadata ID is used by an identifier',
  ALTERNATE_ID_TAKEN: 'This alternate identifier is used by an identifier',
} as const;

/**
 * Returns the 409 for a mint with a metadata ID that another identifier has.
 * @param members the members of the request that contradict that identifier. Their values are omitted, because the client may lack access
 * to history.
 */
export function mismatchProblem(existing: IdentifierRecord, members: readonly string[]): Problem {
  const conflict = nameConflictProblem('METADATA_ID_TAKEN', existing, '/metadataId');
  const { code, detail, extensions } = conflict;
  const { errors = [], members: facts = {} } = extensions;
  const tombstone = serializeTombstone(existing);
  if (tombstone !== null)
    return new Problem(code, `${detail} It was withdrawn: ${tombstone.reason}`, {
      errors,
      members: { ...facts, tombstone },
    });
  if (members.length === 0) return conflict;
  const differing = members.map((name) => ({
    pointer: `/${name}`,
    detail: `differs from ${nativeText(existing)}, as it was minted and as it is now`,
  }));
  const why = `It has other values of these members of the request: ${members.join(', ')}.`;
  return new Problem(code, `${detail} ${why}`, { errors: [...errors, ...differing], members: facts });
}

/** Returns the 409 for a metadata ID or an alternate that another identifier has. */
export function nameConflictProblem(
  code: keyof typeof IS_USED,
  existing: Pick<IdentifierRecord, 'namingAuthority' | 'localName'> | null,
  pointer: string,
): Problem {
  return conflictProblem(code, IS_USED[code], existing, pointer);
}
