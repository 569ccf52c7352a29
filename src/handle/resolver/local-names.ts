import { isLongLocalName } from '../../registry/canonical-name.js';
import type { NamingAuthority } from '../../registry/naming-authority.js';
import { guidIn } from '../../registry/uuid.js';
import { type PathReading, trimEnd } from '../../finding/read-path.js';

/**
 * The local names that a path can mean, in the order in which they are looked up. Under the profile "cordra", there is only the GUID. Under
 * "handle", the exact text precedes the text without blanks at its end, so that each registered name is found.
 */
export function localNamesOf(authority: NamingAuthority, { handle }: PathReading) {
  const slash = handle.indexOf('/');
  const text = slash < 0 ? '' : handle.slice(slash + 1);
  const isLong = isLongLocalName(text);
  if (authority.profile === 'cordra') {
    const guid = isLong ? undefined : guidIn(trimEnd(text));
    return { candidates: guid === undefined ? [] : [guid], isTooLong: isLong };
  }
  const plain = trimEnd(text);
  const candidates = (plain === text ? [text] : [text, plain]).filter((name) => name !== '' && !isLongLocalName(name));
  return { candidates, isTooLong: candidates.length === 0 && isLong };
}
