import { type Handle, formatHandle, namingAuthorityKey, parseHandle } from '@mintmark/identifier';
import { upperAscii } from './upper-ascii.js';
import { Problem, invalidValue, malformed } from '../problem/problem.js';
import type { NamingAuthority } from './naming-authority.js';

/** Default index of the key value of a user, by convention of the Handle System. */
const DEFAULT_INDEX = 300;

const MAX_INDEX = 2_147_483_647;
const MAX_LOCAL_NAME_BYTES = 255;

const GUID = /^[0-9A-Fa-f]{32}$/;

/** The user of a Handle client: a Handle that is not an identifier, and the index of its key value. */
export interface HandleUser {
  readonly index: number;
  readonly handle: Handle;
}

/** @returns a text such as `300:100.102/ADMIN`. */
export function handleUserText({ index, handle }: HandleUser): string {
  return `${index}:${formatHandle(handle)}`;
}

/** Reads the user of a key, `index:handle` or `handle`. @throws Problem with a syntax code, or INVALID_REQUEST. */
export function readHandleUser(text: string, pointer: string): HandleUser {
  const [written = '', digits = String(DEFAULT_INDEX)] = /^([0-9]{1,10}):/.exec(text) ?? [];
  const read = parseHandle(text.slice(written.length), { charset: 'unicode' });
  if (!read.ok) throw malformed(read.fault, pointer);
  const index = Number(digits);
  const { localName } = read.value;
  const isNameable = Buffer.byteLength(localName) <= MAX_LOCAL_NAME_BYTES && localName !== '' && !GUID.test(localName);
  if (index > MAX_INDEX || !isNameable) {
    throw invalidValue(
      pointer,
      `A user has an index up to ${MAX_INDEX} and a local name of 1 to ${MAX_LOCAL_NAME_BYTES} bytes that is not a GUID.`,
    );
  }
  return { index, handle: read.value };
}

/** Whether a client sent the user of a key. The case of ASCII letters is ignored, because the key authenticates the client. */
export function isSameUser(sent: { readonly index: number | null; readonly handle: Handle }, user: string): boolean {
  const { index, handle } = readHandleUser(user, '');
  return (sent.index === null || sent.index === index) && folded(sent.handle) === folded(handle);
}

function folded({ namingAuthority, localName }: Handle): string {
  return `${namingAuthorityKey(namingAuthority)}/${upperAscii(localName)}`;
}

/** The text by which local names of users are compared. Case is ignored as for identifiers, and always under "cordra". */
export function comparableUser(
  { profile, caseInsensitive }: Pick<NamingAuthority, 'profile' | 'caseInsensitive'>,
  localName: string,
): string {
  return profile === 'cordra' || caseInsensitive ? upperAscii(localName) : localName;
}

/** Whether a local name belongs to a user, and so cannot be an identifier. */
export function isHandleUser(authority: NamingAuthority, localName: string): boolean {
  return authority.handleUsers?.has(comparableUser(authority, localName)) === true;
}

/** @throws Problem IDENTIFIER_TAKEN for the name of a user. */
export function requireNoUser(authority: NamingAuthority, localName: string, pointer: string): void {
  if (!isHandleUser(authority, localName)) return;
  const detail = `${authority.prefix}/${localName} is the user of an API key, and cannot be an identifier`;
  throw new Problem('IDENTIFIER_TAKEN', `${detail}.`, { errors: [{ pointer, detail }] });
}
