import { entriesOf } from './addresses.js';

/** The parts of the service for different clients: the REST API, the resolver of Handles over HTTP, and the HTTP API of Handle servers. */
export const FACES = ['api', 'resolver', 'handles'] as const;
export type FaceName = (typeof FACES)[number];

/**
 * The faces of the variable `FACES`, a comma list. Without it all faces are on under open access. Where writing requires a
 * key, `handles` must be named, and where reading requires one, `resolver` too.
 * @param isOpen whether no request requires a key.
 * @param isReadable whether reading requires no key.
 */
export function facesOf(list: string | undefined, isOpen: boolean, isReadable: boolean): ReadonlySet<FaceName> {
  if (list === undefined) return new Set(isOpen ? FACES : isReadable ? ['api', 'resolver'] : ['api']);
  const named = entriesOf(list);
  return new Set(FACES.filter((face) => named.includes(face)));
}

/** The problems of the variable `FACES`. */
export function faceProblems(list: string | undefined): string[] {
  if (list === undefined) return [];
  const entries = entriesOf(list);
  const unknown = entries.filter((entry) => !(FACES as readonly string[]).includes(entry));
  if (unknown.length === 0 && entries.length > 0) return [];
  return [`FACES must be a comma list of ${FACES.join(', ')}; the value is "${list}"`];
}
