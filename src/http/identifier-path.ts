/** Actions and views below `/identifiers/{identifier}`. */
const BELOW_IDENTIFIER = new Set(['uris', 'history', 'activate', 'withdraw', 'reinstate']);

/** Actions, which are all that is posted below an identifier: after them no identifier goes on. */
const POSTED = new Set(['activate', 'withdraw', 'reinstate']);

/** A bare UUID is an identifier by itself too. */
const UUID = /^[0-9a-f-]{32,36}$/i;

/**
 * Writes the raw slash of `/identifiers/100.102/F58F…` as `%2F`, so that routes see the identifier as one segment
 * whichever way it was sent. The raw form is for exactly two segments, naming authority and local name: a first segment
 * that holds an escaped "/" or a ":" is a whole identifier already (`hdl%3A100.102%2FF58F…`, `demo:1`).
 *
 * It works on the undecoded URL, before routing: a router that has decoded `%2F` can no longer tell the two apart.
 */
export function joinIdentifierSegments(target: string, method = 'GET'): string {
  // The absolute form of a request target (RFC 9112 3.2.2).
  const url = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.startsWith('/identifiers/')) return url;
  const [first = '', second, third, ...more] = path.slice('/identifiers/'.length).split('/');
  if (second === undefined || second === '' || more.length > 0) return url;
  if (method === 'POST' && third === undefined && POSTED.has(second)) return url;
  if (/%2f|%3a|:/i.test(first) || (UUID.test(first) && BELOW_IDENTIFIER.has(second))) return url;
  if (third === undefined) return `/identifiers/${first}%2F${second}${url.slice(path.length)}`;
  if (!BELOW_IDENTIFIER.has(third)) return url;
  return `/identifiers/${first}%2F${second}/${third}${url.slice(path.length)}`;
}
