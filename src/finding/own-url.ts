import { handleUriStart } from '../registry/name-schemes.js';
import { isReservedSegment } from '../registry/naming-authority.js';
import { decoded } from '../http/request-target.js';
import { joinIdentifierSegments } from '../http/server/unescaped-slash.js';

const HTTP_URL = /^https?:\/\//i;

/** The path of an identifier, or of one of its views, with the identifier as one escaped segment. */
const PATH = /^\/identifiers\/([^/]+)(?:\/(?:uris|history)?)?$/;

/** Names of the loopback interface. They count as equal, because a client on this machine can use any of them. */
const LOOPBACK = /^(?:localhost|127(?:\.[0-9]+){3}|\[::1\])(?=:|$)/;

/** The identifier in a URL of this service, `{base}/identifiers/NA/local` or `{base}/NA/local`, decoded; null for any other text. */
export function identifierInOwnUrl(text: string, hosts: readonly string[]): string | null {
  if (!HTTP_URL.test(text) || !URL.canParse(text)) return null;
  const { protocol, host: urlHost, pathname } = new URL(text);
  if (!hosts.some((host) => comparable(urlHost) === comparable(hostOf(protocol, host)))) return null;
  const segment = PATH.exec(joinIdentifierSegments(pathname))?.[1] ?? resolvedIn(pathname);
  return segment === null ? null : decoded(segment);
}

/** The text that the resolver reads in a path; null for a path of another interface. */
function resolvedIn(pathname: string): string | null {
  const text = pathname.replace(/^\/+/, '');
  const [first = ''] = text.split('/', 1);
  const isName = text.length > first.length + 1 || handleUriStart(text) > 0;
  return !isName || isReservedSegment(first) ? null : text;
}

/** A host as it is in a URL: in lower case, without the default port of the scheme (RFC 3986 6.2.3). */
function hostOf(protocol: string, host: string): string {
  const url = `${protocol}//${host}`;
  return URL.canParse(url) ? new URL(url).host : host;
}

function comparable(host: string): string {
  return host.replace(LOOPBACK, 'localhost');
}
