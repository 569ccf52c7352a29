import type { TypedLink } from '../../registry/typed-links.js';

/** Characters of all links: clients and proxies accept 8 or 16 KiB of headers. */
const MAX_LENGTH = 7168;

/**
 * `Link` (RFC 8288 3) with the links that fit, the first ones first. Every `href` is a URI reference in ASCII.
 * @returns undefined without a link.
 */
export function linkHeaderOf(links: readonly TypedLink[]): string | undefined {
  let header = '';
  for (const { rel, href, type } of links) {
    const link = `<${href}>; rel="${rel}"${type === undefined ? '' : `; type="${type}"`}`;
    if (header.length + link.length > MAX_LENGTH) continue;
    header += header === '' ? link : `, ${link}`;
  }
  return header === '' ? undefined : header;
}
