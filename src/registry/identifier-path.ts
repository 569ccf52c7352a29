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

/** Longest path in a header: clients and proxies accept 8 or 16 KiB of headers, and the body has the identifier too. */
const MAX_PATH_LENGTH = 7168;

/** A `Location` header, unless the path is too long for one. */
export function locationHeader(path: string): Readonly<Record<string, string>> {
  return path.length > MAX_PATH_LENGTH ? {} : { location: path };
}

/** A `Link` header with one relation (RFC 8288), unless the path is too long for one. */
export function linkHeader(path: string, rel: string): Readonly<Record<string, string>> {
  return path.length > MAX_PATH_LENGTH ? {} : { link: `<${path}>; rel="${rel}"` };
}
