import { canonicalUri, toHandle } from '@mintmark/identifier';

/** A local name that needs no escape. */
const PLAIN = /^[0-9.]+\/[0-9A-F]{32}$/;

/** Native texts that are recognized unchanged: no letters before the "/" and no trailing white space. */
const READ_BACK = /^[0-9.]+\/.*\S$/u;

/** The path of an identifier in the REST API: a GUID as it is, any other local name escaped, as a URI where the native text is ambiguous. */
export function locationOf({ identifier }: { readonly identifier: string }): string {
  if (PLAIN.test(identifier)) return `/identifiers/${identifier}`;
  const text = READ_BACK.test(identifier) ? identifier : canonicalUri(toHandle(identifier, { charset: 'unicode' }));
  return `/identifiers/${encodeURIComponent(text)}`;
}

/** Longest path in a header: clients and proxies accept 8 or 16 KiB of headers, and the body has the identifier too. */
const MAX_PATH_LENGTH = 7168;

/** `Location`; nothing where the path is too long for a header. */
export function locationHeader(path: string): Readonly<Record<string, string>> {
  return path.length > MAX_PATH_LENGTH ? {} : { location: path };
}

/** `Link` with one relation (RFC 8288); nothing where the path is too long for a header. */
export function linkHeader(path: string, rel: string): Readonly<Record<string, string>> {
  return path.length > MAX_PATH_LENGTH ? {} : { link: `<${path}>; rel="${rel}"` };
}
