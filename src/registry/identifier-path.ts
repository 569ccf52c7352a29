import { canonicalUri, toHandle } from '@mintmark/identifier';

/** A name that needs no escape. */
const PLAIN = /^[0-9.]+\/[0-9A-F]{32}$/;

/** Native texts that are recognized unchanged: no letters before the "/" and no trailing white space. */
const READ_BACK = /^[0-9.]+\/.*\S$/u;

/** The path of an identifier in the REST API: a GUID unchanged, other local names escaped, and an ambiguous native text as a URI. */
export function locationOf({ identifier }: { readonly identifier: string }): string {
  if (PLAIN.test(identifier)) return `/identifiers/${identifier}`;
  const text = READ_BACK.test(identifier) ? identifier : canonicalUri(toHandle(identifier, { charset: 'unicode' }));
  return `/identifiers/${encodeURIComponent(text)}`;
}
