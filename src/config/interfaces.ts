import { entriesOf } from './addresses.js';

/** The REST API, the resolver of Handles over HTTP, and the HTTP API of Handle servers. */
export const INTERFACES = ['api', 'resolver', 'handles'] as const;
export type InterfaceName = (typeof INTERFACES)[number];

/** Parses `INTERFACES`, a comma-separated list. */
export function interfacesOf(
  list: string | undefined,
  isOpen: boolean,
  isReadable: boolean,
): ReadonlySet<InterfaceName> {
  if (list === undefined) return new Set(isOpen ? INTERFACES : isReadable ? ['api', 'resolver'] : ['api']);
  const named = entriesOf(list);
  return new Set(INTERFACES.filter((name) => named.includes(name)));
}

export function interfaceProblems(list: string | undefined): string[] {
  if (list === undefined) return [];
  const entries = entriesOf(list);
  const unknown = entries.filter((entry) => !(INTERFACES as readonly string[]).includes(entry));
  if (unknown.length === 0 && entries.length > 0) return [];
  return [`INTERFACES must be a comma-separated list of ${INTERFACES.join(', ')}; the value is "${list}"`];
}
