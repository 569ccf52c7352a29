import { type Handle, parseHandle } from '@mintmark/identifier';
import { decoded } from '../http/request-target.js';
import { isSecret } from './key-secret.js';

export interface BasicCredentials {
  /** The index of the user's key value, 0 to 2,147,483,647; null if the client sent none. */
  readonly index: number | null;
  readonly handle: Handle;
  readonly secret: string;
}

/** Matches in time linear in the length of the field, which the server limits. */
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

const INDEXED_USER = /^([0-9]{1,10}):/;
const MAX_INDEX = 2 ** 31 - 1;

/**
 * Reads the credentials of a Handle client: RFC 7617, with a user `index:handle` or `handle`, which can be percent-encoded. RFC 7617 splits
 * at the first colon, but some clients send the colon of `300:100.102/ADMIN` unencoded. Splitting at the last colon reads both notations,
 * because API keys contain no colon.
 * @returns null for another scheme, a password without the format of an API key, or a user that is not a Handle.
 */
export function readBasicCredentials(field: string): BasicCredentials | null {
  const encoded = BASIC.exec(field)?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.lastIndexOf(':');
  const secret = text.slice(colon + 1);
  if (colon < 0 || !isSecret(secret)) return null;
  const user = decoded(text.slice(0, colon)) ?? '';
  const [written = '', digits] = INDEXED_USER.exec(user) ?? [];
  const index = digits === undefined ? null : Number(digits);
  const handle = parseHandle(user.slice(written.length));
  return handle.ok && Number(index) <= MAX_INDEX ? { index, handle: handle.value, secret } : null;
}
