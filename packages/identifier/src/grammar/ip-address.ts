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

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const IPV_FUTURE = /^v[0-9a-f]+\.[a-z0-9._~!$&'()*+,;=:-]+$/i;
/** 16-bit groups, or none. */
const GROUPS = /^(?:[0-9a-f]{1,4}(?::(?!$)|$))*$/i;

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
  // The longest IPv6address has 45 characters.
  if (text.length > 45) return false;
  const last = text.lastIndexOf(':') + 1;
  const halves = (isIPv4Address(text.slice(last)) ? `${text.slice(0, last)}0:0` : text).split('::');
  if (halves.length > 2 || !halves.every((half) => GROUPS.test(half))) return false;
  const count = halves.flatMap((half) => half.split(':')).filter((group) => group !== '').length;
  return halves.length === 1 ? count === 8 : count < 8;
}
