/** The parts of the service for different clients: the REST API, and the resolver of Handles over HTTP. */
export const FACES = ['api', 'resolver'] as const;
export type FaceName = (typeof FACES)[number];

/**
 * The faces of the variable `FACES`, a comma list. Without it all faces are on, but where reading requires a key, the
 * resolver must be named.
 * @param isReadable whether reading requires no key.
 */
export function facesOf(list: string | undefined, isReadable: boolean): ReadonlySet<FaceName> {
  if (list === undefined) return new Set(isReadable ? FACES : ['api']);
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

function entriesOf(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
