import { describe, expect, it } from '@jest/globals';
import { readBasicCredentials } from '../../src/access/basic-credentials.js';
import { newSecret } from '../../src/access/key-secret.js';

const SECRET = newSecret();

const basic = (user: string, password = SECRET) =>
  `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`;

const read = (field: string) => {
  const found = readBasicCredentials(field);
  if (found === null) return null;
  const { namingAuthority, localName } = found.handle;
  return { index: found.index, handle: `${namingAuthority}/${localName}`, secret: found.secret };
};

describe('Basic credentials of Handle clients', () => {
  it.each([
    ['as PYHANDLE and the ARGO probe send it', '300%3A21.T14999/ADMIN', 300, '21.T14999/ADMIN'],
    ['with an encoded slash', '300%3a21.T14999%2FADMIN', 300, '21.T14999/ADMIN'],
    ['with an unencoded colon after the index', '300:100.102/ADMIN', 300, '100.102/ADMIN'],
    ['without an index', '100.102/ADMIN', null, '100.102/ADMIN'],
    ['with colons in the local name', '300:100.102/A:B:C', 300, '100.102/A:B:C'],
    ['with an encoded percent sign, decoded once', '300%3A100.102/A%2525', 300, '100.102/A%25'],
    ['with the largest index', '2147483647%3A100.102/ADMIN', 2_147_483_647, '100.102/ADMIN'],
  ])('reads a user %s', (_case, user, index, handle) => {
    expect(read(basic(user))).toEqual({ index, handle, secret: SECRET });
  });

  it('ignores the case of the scheme', () => {
    expect(read(basic('300%3A100.102/ADMIN').replace('Basic', 'bASIC'))?.handle).toBe('100.102/ADMIN');
  });

  it.each([
    ['another scheme', `Bearer ${SECRET}`],
    ['text that is not base64', 'Basic 300:100.102/ADMIN'],
    ['no colon', `Basic ${Buffer.from(SECRET).toString('base64')}`],
    ['a password that is no API key', basic('300%3A100.102/ADMIN', 'secret')],
    ['an empty user', basic('')],
    ['a user without a slash', basic('300%3AADMIN')],
    ['an index above 2^31 - 1', basic('2147483648%3A100.102/ADMIN')],
    ['a broken escape', basic('300%3A100.102/%E9')],
  ])('rejects %s', (_case, field) => {
    expect(readBasicCredentials(field)).toBeNull();
  });
});
