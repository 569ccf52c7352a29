/** Actions and views below `/identifiers/{identifier}`. */
const BELOW_IDENTIFIER = new Set(['uris', 'history', 'activate', 'withdraw', 'reinstate']);

const POSTED = new Set(['activate', 'withdraw', 'reinstate']);

const WITH_MORE_SEGMENTS = /^\/identifiers\/[^/?#]+\/[^/?#]+\/[^?#]/;

/** A hint for the rejection of an unknown path; can be empty. */
export function hintFor(target: string): string {
  if (/^\/identifiers\/[^?#]*\/(?:[?#]|$)/.test(target)) return '. Leave out the slash at the end';
  const [, start, first = '', second = ''] = (target.split(/[?#]/, 1)[0] ?? '').split('/');
  const hasScheme = start === 'identifiers' && /:|%3a/i.test(first);
  if (hasScheme && second !== '') return '. Send each slash of a URI as %2F: /identifiers/hdl:NA%2Flocal';
  if (!WITH_MORE_SEGMENTS.test(target)) return '';
  return '. Send a slash inside a local name as %2F: /identifiers/NA/a%2Fb';
}

/** A bare UUID is a complete identifier too. */
const UUID = /^[0-9a-f-]{32,36}$/i;

/**
 * Rewrites the unescaped slash of `/identifiers/100.102/F58F…` as `%2F`. A first segment with an escaped "/" or a ":" is already complete
 * (`hdl%3A100.102%2FF58F…`, `demo:1`). Runs before routing, because decoding would make both kinds of slashes indistinguishable.
 */
export function joinIdentifierSegments(target: string, method = 'GET'): string {
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
