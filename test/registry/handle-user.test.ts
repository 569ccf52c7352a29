import { describe, expect, it } from '@jest/globals';
import { toHandle } from '@mintmark/identifier';
import {
  comparableUser,
  handleUserText,
  isHandleUser,
  isSameUser,
  readHandleUser,
  requireNoUser,
} from '../../src/registry/handle-user.js';
import type { NamingAuthority } from '../../src/registry/naming-authority.js';

const authorityWith = (rules: Partial<NamingAuthority>): NamingAuthority => ({
  prefix: '100.102',
  state: 'active',
  profile: 'handle',
  caseInsensitive: false,
  uuidVersion: 4,
  targetTemplate: null,
  resolver: null,
  storesHandleValues: false,
  sandbox: false,
  metadataIdScheme: 'recognized',
  version: 1,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ...rules,
});

describe('readHandleUser', () => {
  it.each([
    ['300:100.102/ADMIN', '300:100.102/ADMIN'],
    ['100.102/ADMIN', '300:100.102/ADMIN'],
    ['0:100.102/a:b', '0:100.102/a:b'],
    ['2147483647:100.102/ADMIN', '2147483647:100.102/ADMIN'],
  ])('reads %s', (text, user) => {
    expect(handleUserText(readHandleUser(text, '/handleUser'))).toBe(user);
  });

  it.each([
    ['2147483648:100.102/ADMIN', 'INVALID_REQUEST'],
    ['300:100.102/f58f7bfe33754a61bd1be9e57ab19ce9', 'INVALID_REQUEST'],
    [`300:100.102/${'x'.repeat(256)}`, 'INVALID_REQUEST'],
    ['300:ADMIN', 'MISSING_SEPARATOR'],
  ])('rejects %s', (text, code) => {
    expect(() => readHandleUser(text, '/handleUser')).toThrow(expect.objectContaining({ code }));
  });
});

describe('isSameUser', () => {
  const sent = (index: number | null, handle: string) => ({ index, handle: toHandle(handle, { charset: 'unicode' }) });

  it('compares the Handle without the case of ASCII letters, and the index where it was sent', () => {
    expect(isSameUser(sent(300, '100.102/ADMIN'), '300:100.102/ADMIN')).toBe(true);
    expect(isSameUser(sent(null, '100.102/admin'), '300:100.102/ADMIN')).toBe(true);
    expect(isSameUser(sent(301, '100.102/ADMIN'), '300:100.102/ADMIN')).toBe(false);
    expect(isSameUser(sent(300, '100.103/ADMIN'), '300:100.102/ADMIN')).toBe(false);
    expect(isSameUser(sent(300, '100.102/OTHER'), '300:100.102/ADMIN')).toBe(false);
  });
});

describe('the names of users', () => {
  it('are compared as identifiers are, and without case among GUIDs', () => {
    expect(comparableUser(authorityWith({}), 'Admin')).toBe('Admin');
    expect(comparableUser(authorityWith({ caseInsensitive: true }), 'Admin')).toBe('ADMIN');
    expect(comparableUser(authorityWith({ profile: 'cordra' }), 'Admin')).toBe('ADMIN');
  });

  it('cannot become identifiers', () => {
    const authority = authorityWith({ handleUsers: new Set(['ADMIN']) });
    expect([isHandleUser(authority, 'ADMIN'), isHandleUser(authority, 'admin')]).toEqual([true, false]);
    expect(isHandleUser(authorityWith({}), 'ADMIN')).toBe(false);
    expect(() => {
      requireNoUser(authority, 'ADMIN', '/localName');
    }).toThrow(expect.objectContaining({ code: 'IDENTIFIER_TAKEN' }));
    expect(() => {
      requireNoUser(authority, 'admin', '/localName');
    }).not.toThrow();
  });
});
