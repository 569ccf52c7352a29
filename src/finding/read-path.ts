import { WELL_KNOWN_RESOLVERS } from '@mintmark/identifier';
import { decodeText } from '../http/request-target.js';
import { handleUriStart } from '../registry/name-schemes.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { type NamingAuthority, isReservedSegment, pathSegmentOf } from '../registry/naming-authority.js';

/** What a decoded path names: a Handle, or a text that could be one. */
export interface PathReading {
  /** Null for a prefix that is not among the naming authorities with which the path was read. */
  readonly authority: NamingAuthority | null;
  /** Prefix, "/" and local name, as the client wrote them. They are decoded once, or twice in a URI that is one segment of the path. */
  readonly handle: string;
  /** Whether the text is meant as a Handle: its prefix is known or starts with a digit, or the start of a URI or a resolver precedes it. */
  readonly isMarked: boolean;
}

/** The default port of a URL at the end of its host, which may be empty (RFC 3986 6.2.3). */
const DEFAULT_PORT = { http: /:(?:80)?$/, https: /:(?:443)?$/ };

/** The start of a URL up to the "/" after its host. One slash after the scheme suffices, because intermediaries merge slashes. */
const HTTP_START = /(https?):\/{1,2}([^/]{1,255})\//iy;

/** Prefixes of the Handle System start with a digit. */
const LIKE_PREFIX = /^[0-9][^/]*\//;

/**
 * Reads the Handle in a path, in every notation: alone, after blanks and slashes, after the first segment of a resolver, or as a URI
 * (`hdl:`, `info:hdl/`, `doi:`, the URL of a resolver or of this service). The first notation with a known prefix counts.
 * @param path as the client wrote it, with its first "/".
 * @returns null for a path that is not percent-encoded UTF-8.
 */
export function readPath(path: string, known: NamingAuthoritySnapshot, ownHost: string): PathReading | null {
  const decodedPath = decodeText(path.slice(1));
  if (decodedPath === null) return null;
  let text = decodedPath;
  const at = (start: number): PathReading | null => {
    const slash = text.indexOf('/', start);
    const authority = known.find(text.slice(start, slash < 0 ? undefined : slash));
    return authority === undefined ? null : { authority, handle: text.slice(start), isMarked: true };
  };
  const alone = at(0);
  if (alone !== null) return alone;
  const resolvers = [known.resolver, ...known.ownResolvers()];
  const firsts = resolvers.flatMap((resolver) => pathSegmentOf(resolver) ?? []);
  let start = skipBlanks(text, 0);
  let isMarked = false;
  const behindSegment = (): void => {
    // A first segment can contain an escaped "/", so another first segment can be the start of it.
    const lengths = firsts.filter((first) => text.startsWith(`${first}/`, start)).map(({ length }) => length);
    if (lengths.length === 0) return;
    start = skipBlanks(text, start + Math.max(...lengths) + 1);
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
    // If every "/" of the path was escaped, the escapes of the URI were escaped again.
    text = path.includes('/', 1) ? name : (decodeText(name) ?? name);
    start = skipBlanks(text, 0);
    isMarked = true;
    if (host !== undefined) {
      behindSegment();
      start = skipBlanks(text, start + handleUriStart(text, start));
    }
  }
  const found = at(start);
  if (found !== null) return found;
  const handle = text.slice(start);
  return { authority: null, handle, isMarked: isMarked || LIKE_PREFIX.test(handle) };
}

/** Whether the first segment of a path belongs to another interface. The segment is decoded, because the router also decodes segments. */
export function isReservedPath(path: string): boolean {
  const first = firstSegmentOf(path.slice(1));
  return isReservedSegment(first.includes('%') ? firstSegmentOf(decodeText(first) ?? first) : first);
}

export function firstSegmentOf(text: string): string {
  const slash = text.indexOf('/');
  return slash < 0 ? text : text.slice(0, slash);
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
