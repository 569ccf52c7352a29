import { canonicalUri, parseHandle } from '@mintmark/identifier';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { decoded } from '../http/request-target.js';
import { joinIdentifierSegments } from '../http/server/unescaped-slash.js';
import { isReservedPath, readPath, trimEnd } from './read-path.js';

const HTTP_URL = /^https?:\/\//i;

/** The path of an identifier, or of one of its views, with the identifier as one escaped segment. */
const PATH = /^\/identifiers\/([^/]+)(?:\/(?:uris|history)?)?$/;

/** Names of the loopback interface. They count as equal, because a client on this machine can use any of them. */
const LOOPBACK = /^(?:localhost|127(?:\.[0-9]+){3}|\[::1\])(?=:|$)/;

/**
 * The names that a URL of this service may mean, `{base}/identifiers/NA/local` or a URL of the resolver, in the order in which the service
 * tries them; none for any other text.
 */
export function namesInOwnUrl(text: string, known: NamingAuthoritySnapshot, hosts: readonly string[]): string[] {
  if (!HTTP_URL.test(text) || !URL.canParse(text)) return [];
  const { protocol, host: urlHost, pathname } = new URL(text);
  if (!hosts.some((host) => comparable(urlHost) === comparable(hostOf(protocol, host)))) return [];
  const [, segment] = PATH.exec(joinIdentifierSegments(pathname)) ?? [];
  if (segment === undefined) return resolvedNames(pathname, known, urlHost);
  const name = decoded(segment);
  if (name === null) return [];
  const exact = known.exactHandle(name);
  return exact === null ? [name] : [canonicalUri(exact.name), name];
}

/** The names that the resolver looks up for a path, as URIs, which have one meaning only; none for a path of another interface. */
function resolvedNames(path: string, known: NamingAuthoritySnapshot, host: string): string[] {
  const reading = isReservedPath(path) ? null : readPath(path, known, host);
  if (reading?.isMarked !== true || !reading.handle.includes('/')) return [];
  const { authority, handle } = reading;
  const plain = trimEnd(handle);
  // A text after the GUID is not part of the name.
  if (authority?.profile === 'cordra') return [plain];
  return [...new Set([handle, plain])].flatMap((text) => {
    const read = parseHandle(text, { charset: 'unicode' });
    return read.ok ? canonicalUri(read.value) : [];
  });
}

/** A host as it is in a URL: in lower case, without the default port of the scheme (RFC 3986 6.2.3). */
function hostOf(protocol: string, host: string): string {
  const url = `${protocol}//${host}`;
  return URL.canParse(url) ? new URL(url).host : host;
}

function comparable(host: string): string {
  return host.replace(LOOPBACK, 'localhost');
}
