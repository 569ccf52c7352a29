import { decoded } from '../http/request-target.js';
import { upperAscii } from '../registry/upper-ascii.js';
import { handleUriStart } from '../registry/name-schemes.js';
import type { NamingAuthority } from '../registry/naming-authority.js';
import { type NamingAuthoritySnapshot, addressIn } from '../registry/naming-authority-snapshot.js';
import type { NearSearch } from '../storage/identifiers/near-identifiers.js';
import { firstDifference, hexDigitsOf, nearGuids, nearLocalNames } from './near-names.js';

/** Why nothing matches a text: it is a Handle of a foreign prefix, an unregistered name or URL, or not a name at all. */
export const MISS_REASONS = ['foreign-prefix', 'unknown', 'not-a-name'] as const;
export type MissReason = (typeof MISS_REASONS)[number];

/** The probable error in a name under a prefix of this registry. */
export interface Hint {
  readonly detail: string;
  /** The offset of the error in the text, in UTF-16 code units; null if it is unknown. */
  readonly offset: number | null;
  /** The nearest registered name, `NA/local`; null if none is near. */
  readonly nearest: string | null;
}

/** A name under a visible naming authority, as a client wrote it; the name can be malformed. */
export interface OwnName {
  readonly authority: NamingAuthority;
  /** The local name: decoded if it comes from a URI, and under the profile "cordra" without query and fragment. */
  readonly local: string;
}

/** The scheme and the host of a URL, which can be the URL of a resolver. */
const HTTP_START = /^https?:\/{1,2}[^/\s]{1,255}\//i;

/** Slashes and blanks that may follow the start of a URI of a Handle. */
const SLASHES_AND_BLANKS = /^\/{0,2}\s{0,8}/;

const GUID_LENGTH = 32;

/** The first of the texts that is a name under a visible prefix, even with a malformed local name; null if none is. */
export function ownNameIn(texts: readonly string[], known: NamingAuthoritySnapshot): OwnName | null {
  for (const text of texts) {
    const plain = text.trim();
    const head = headOf(plain);
    const rest = plain.slice(head.length);
    const slash = rest.indexOf('/');
    if (slash < 0) continue;
    // The URL of a resolver can have a first path segment.
    const starts = head.startsWith('http') ? [rest, rest.slice(slash + 1)] : [rest];
    for (const start of starts) {
      const end = start.indexOf('/');
      const authority = end < 0 ? undefined : known.find(start.slice(0, end));
      if (authority === undefined) continue;
      const raw = start.slice(end + 1);
      const local = head === '' ? raw : (decoded(raw) ?? raw);
      return { authority, local: authority.profile === 'cordra' ? local.replace(/[?#].*$/s, '') : local };
    }
  }
  return null;
}

function headOf(text: string): string {
  const [url = ''] = HTTP_START.exec(text) ?? [];
  const start = url.length + handleUriStart(text, url.length);
  if (start === url.length) return url;
  const [layout = ''] = SLASHES_AND_BLANKS.exec(text.slice(start)) ?? [];
  return text.slice(0, start + layout.length);
}

export function nearSearchOf({ authority, local }: OwnName): NearSearch {
  const { prefix: namingAuthority } = authority;
  if (authority.profile === 'cordra') {
    const { candidates, start } = nearGuids(local);
    return { namingAuthority, guids: candidates, localKeys: [], start };
  }
  const keys = [local, ...nearLocalNames(local).candidates].flatMap(
    (name) => addressIn(authority, name).localKey ?? [],
  );
  return { namingAuthority, guids: [], localKeys: [...new Set(keys)], start: null };
}

/** @param text as the client sent it, to which the offset refers. @param near the local name of the nearest identifier; null for none. */
export function hintOf({ authority, local }: OwnName, text: string, near: string | null): Hint {
  const { prefix, profile } = authority;
  const fault = profile === 'cordra' ? guidFault(prefix, local) : nameFault(authority);
  const isNear = near !== null && isNearTo(authority, local, near);
  if (near !== null && isSameName(authority, local, near)) {
    const name = `${prefix}/${near}`;
    const detail = `${name} is registered, but the text before it is wrong: expected for example "hdl:" or "http://hdl.handle.net/".`;
    return { detail, offset: 0, nearest: name };
  }
  const written = profile === 'cordra' ? upperAscii(local) : local;
  const at = isNear && !fault.isCertain ? firstDifference(written, near) : fault.at;
  const start = text.indexOf(local);
  return {
    detail: fault.detail,
    offset: at === null || start < 0 ? null : start + at,
    nearest: isNear ? `${prefix}/${near}` : null,
  };
}

interface NameFault {
  readonly detail: string;
  readonly at: number | null;
  /** Whether the fault is at `at` for every nearest name. */
  readonly isCertain: boolean;
}

function guidFault(prefix: string, local: string): NameFault {
  const rule = `a local name under ${prefix} has 32 of the digits 0-9 and A-F`;
  const wrong = local.search(/[^0-9A-Fa-f]/);
  const { length } = local;
  if (wrong >= 0 && wrong < GUID_LENGTH) {
    const character = String.fromCodePoint(local.codePointAt(wrong) ?? 0);
    const [digit] = hexDigitsOf(character);
    const alike = digit !== undefined && digit !== character.toUpperCase() ? `; it looks like "${digit}"` : '';
    return { detail: `${named(character)} is not a digit: ${rule}${alike}.`, at: wrong, isCertain: true };
  }
  if (length === GUID_LENGTH)
    return { detail: `No identifier under ${prefix} has this name.`, at: null, isCertain: false };
  const count = Math.abs(GUID_LENGTH - length);
  const what = length < GUID_LENGTH ? 'missing' : 'too many';
  const amount = count === 1 ? 'One digit is' : `${count} ${length < GUID_LENGTH ? 'digits' : 'characters'} are`;
  return {
    detail: `${amount} ${what}: ${rule}, and this one has ${length}.`,
    at: Math.min(length, GUID_LENGTH),
    isCertain: false,
  };
}

function nameFault({ prefix, caseInsensitive }: NamingAuthority): NameFault {
  const rule = caseInsensitive ? '' : ' Capital and small letters are different in it.';
  return { detail: `No identifier under ${prefix} has this name.${rule}`, at: null, isCertain: false };
}

/** Whether `near` is one of the names that were searched. They are searched by digests, and two local names could have the same digest. */
function isNearTo(authority: NamingAuthority, local: string, near: string): boolean {
  if (authority.profile === 'cordra') return true;
  return nearLocalNames(local).candidates.some((name) => isSameName(authority, name, near));
}

function isSameName({ profile, caseInsensitive }: NamingAuthority, local: string, near: string): boolean {
  return profile === 'cordra' || caseInsensitive ? upperAscii(local) === upperAscii(near) : local === near;
}

function named(character: string): string {
  if (/[!-~]/.test(character)) return `"${character}"`;
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
