import { WELL_KNOWN_RESOLVERS } from '@mintmark/identifier';
import { decodeText } from '../../http/request-target.js';
import { handleUriStart } from '../../registry/name-schemes.js';
import type { NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import type { NamingAuthority } from '../../registry/naming-authority.js';

/** What a decoded path names: a Handle, or a text that could be one. */
export interface PathReading {
  /** Null for a prefix that is not among the naming authorities with which the path was read. */
  readonly authority: NamingAuthority | null;
  /** Prefix, "/" and local name, as the client wrote them. They are decoded once, or twice in a URI that is one segment of the path. */
  readonly handle: string;
  /** Whether the text is meant as a Handle: its prefix is known or starts with a digit, or the start of a URI or a resolver precedes it. */
  readonly isMarked: boolean;
}

/** The default port of a URL at the end of its host. */
const DEFAULT_PORT = { http: /:80$/, https: /:443$/ };

/** The start of a URL up to the "/" after its host. One slash after the scheme suffices, because intermediaries merge slashes. */
const HTTP_START = /(https?):\/{1,2}([^/]{1,255})\//iy;

/** Prefixes of the Handle System start with a digit. */
const LIKE_PREFIX = /^[0-9][^/]*\//;

/**
 * Reads the Handle in a path, in every notation: alone, after blanks and slashes, after the first segment of a resolver, or as a URI
 * (`hdl:`, `info:hdl/`, `doi:`, the URL of a resolver or of this service). The first notation with a known prefix counts.
 * @param path without its first "/", decoded.
 * @param isOneSegment whether every "/" of the path was escaped, so that the escapes of a URI were escaped again.
 */
export function readPath(
  path: string,
  known: NamingAuthoritySnapshot,
  ownHost: string,
  isOneSegment: boolean,
): PathReading {
  let text = path;
  const at = (start: number): PathReading | null => {
    const slash = text.indexOf('/', start);
    const authority = known.find(text.slice(start, slash < 0 ? undefined : slash));
    return authority === undefined ? null : { authority, handle: text.slice(start), isMarked: true };
  };
  const alone = at(0);
  if (alone !== null) return alone;
  const resolvers = [known.resolver, ...known.ownResolvers()];
  let start = skipBlanks(text, 0);
  let isMarked = false;
  const behindSegment = (): void => {
    const slash = text.indexOf('/', start);
    const first = text.slice(start, slash);
    if (slash < 0 || !resolvers.some(({ firstSegment }) => firstSegment === first)) return;
    start = skipBlanks(text, slash + 1);
    isMarked = true;
  };
  const behindBlanks = at(start);
  if (behindBlanks !== null) return behindBlanks;
  behindSegment();
  HTTP_START.lastIndex = start;
  const [url = '', scheme, urlHost] = HTTP_START.exec(text) ?? [];
  const port = DEFAULT_PORT[scheme?.toLowerCase() === 'http' ? 'http' : 'https'];
  const host = urlHost?.toLowerCase().replace(port, '');
  const length = url.length || handleUriStart(text, start);
  const hosts = [ownHost.toLowerCase().replace(port, ''), ...WELL_KNOWN_RESOLVERS];
  const isOfResolver = (): boolean => resolvers.some(({ authority }) => authority === host);
  if (length > 0 && (host === undefined || hosts.includes(host) || isOfResolver())) {
    const name = text.slice(start + length);
    text = isOneSegment ? (decodeText(name) ?? name) : name;
    start = skipBlanks(text, 0);
    isMarked = true;
    if (host !== undefined) behindSegment();
  }
  const found = at(start);
  if (found !== null) return found;
  const handle = text.slice(start);
  return { authority: null, handle, isMarked: isMarked || LIKE_PREFIX.test(handle) };
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (at < text.length && (text.charCodeAt(at) === 0x2f || isBlank(text, at))) at++;
  return at;
}

/** Removes white space and NUL at the end of a text. A regular expression would need quadratic time. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isBlank(text, end - 1)) end--;
  return text.slice(0, end);
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0 || code === 0x20 || (code > 0x08 && code < 0x0e) || text.charAt(at).trim() === '';
}
