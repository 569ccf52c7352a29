/**
 * IP addresses as hosts (RFC 3986 3.2.2).
 *
 * IPv4address = dec-octet 3( "." dec-octet )        dec-octet = 0..255 without leading zeros
 * IP-literal  = "[" ( IPv6address / IPvFuture ) "]"
 * IPv6address = 8 groups of 1*4HEXDIG joined by ":", one run of zero groups may be "::",
 * the last two groups may be an IPv4address; no zone
 * IPvFuture   = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
 *
 * An IPv4address is not a registered name; the less strict rule of RFC 2396 does not apply.
 */
import { HEX_DIGIT, span } from './ascii.js';

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const IPV_FUTURE = /^v[0-9a-f]+\.[a-z0-9._~!$&'()*+,;=:-]+$/i;

/** Whether a text is an IPv4address. */
export function isIPv4Address(text: string): boolean {
  return text.length > 6 && text.length < 16 && IPV4.test(text);
}

/** Whether a text with its brackets is an IP-literal. */
export function isIPLiteral(text: string): boolean {
  if (!text.startsWith('[') || !text.endsWith(']')) return false;
  const inner = text.slice(1, -1);
  return IPV_FUTURE.test(inner) || isIPv6Address(inner);
}

function isIPv6Address(text: string): boolean {
  // The longest IPv6address has 45 characters; a longer text is not split.
  if (text.length < 2 || text.length > 45) return false;
  const halves = text.split('::');
  const [head, tail] = halves;
  if (head === undefined || halves.length > 2) return false;
  const count = groups(head, tail === undefined) + (tail === undefined ? 0 : groups(tail, true));
  return tail === undefined ? count === 8 : count <= 7;
}

/** The number of 16-bit groups in a piece; for a malformed piece more than an address has. */
function groups(text: string, mayEndInIPv4: boolean): number {
  if (text === '') return 0;
  const pieces = text.split(':');
  let count = 0;
  for (const [index, piece] of pieces.entries()) {
    if (mayEndInIPv4 && index === pieces.length - 1 && isIPv4Address(piece)) count += 2;
    else if (piece.length > 0 && piece.length <= 4 && span(piece, 0, piece.length, HEX_DIGIT) === piece.length)
      count += 1;
    else return 9;
  }
  return count;
}
