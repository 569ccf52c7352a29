import { isLongLocalName } from '../../registry/canonical-name.js';
import type { NamingAuthority } from '../../registry/naming-authority.js';
import { decodeText } from '../../http/request-target.js';
import { type PathReading, trimEnd } from './read-path.js';

/** A GUID, with or without hyphens; a query or a fragment that follows does not identify another record. */
const GUID = /^([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[?#]|%3F|%23|$)/i;

/** The local names that a path may mean, in the order in which they are looked up. */
export interface LocalNames {
  readonly candidates: readonly string[];
  readonly isTooLong: boolean;
}

/**
 * The local names of a reading. Under the profile "cordra": the GUID. Under "handle": the exact text, so that each registered name is
 * found; the text without blanks at its end; in a URI, the text decoded again, which comes first if the URI was escaped twice.
 */
export function localNamesOf(authority: NamingAuthority, { handle, uri }: PathReading): LocalNames {
  const slash = handle.indexOf('/');
  const text = slash < 0 ? '' : handle.slice(slash + 1);
  const isLong = isLongLocalName(text);
  if (authority.profile === 'cordra') {
    const guid = isLong ? undefined : GUID.exec(trimEnd(text))?.[1];
    return { candidates: guid === undefined ? [] : [guid.replaceAll('-', '').toUpperCase()], isTooLong: isLong };
  }
  // The usual case, with one candidate, is decided first.
  if (!isLong && !(uri !== null && text.includes('%')) && !endsWithBlank(text)) {
    return { candidates: text === '' ? [] : [text], isTooLong: false };
  }
  const trimmed = trimEnd(text);
  const decoded = uri === null ? text : (decodeText(text) ?? text);
  const order = uri === 'escaped' ? [decoded, text, trimmed] : [text, trimmed, decoded];
  const candidates = [...new Set(order)].filter((name) => name !== '' && !isLongLocalName(name));
  return { candidates, isTooLong: candidates.length === 0 && isLong };
}

function endsWithBlank(text: string): boolean {
  const last = text.at(-1) ?? '';
  return last === '\0' || last.trim() === '';
}
