import type { TypedLink } from '../../registry/typed-links.js';

/** Maximum number of characters of a path or of all links in a header. Clients and proxies accept 8 or 16 KiB of headers. */
const MAX_LENGTH = 7168;

/** Builds a `Link` header (RFC 8288 3) from the links that fit, in order. Each `href` must be a URI reference in ASCII. */
export function linkHeaderOf(links: readonly TypedLink[], maxLength = MAX_LENGTH): string | undefined {
  let header = '';
  for (const { rel, href, type } of links) {
    const link = `${header === '' ? '' : ', '}<${href}>; rel="${rel}"${type === undefined ? '' : `; type="${type}"`}`;
    if (header.length + link.length <= maxLength) header += link;
  }
  return header === '' ? undefined : header;
}

/** A `Location` header, unless the path is too long for one. */
export function locationHeader(path: string): Readonly<Record<string, string>> {
  return path.length > MAX_LENGTH ? {} : { location: path };
}

/** A `Link` header to the next page (RFC 8288), unless the path is too long for one. */
export function nextLink(path: string): Readonly<Record<string, string>> {
  return path.length > MAX_LENGTH ? {} : { link: `<${path}>; rel="next"` };
}
