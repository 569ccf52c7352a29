import { describe, expect, it } from '@jest/globals';
import { parseNewNamingAuthority, parseSettings } from '../../src/managing/naming-authority-command.js';

describe('parsing a naming authority', () => {
  it('fills in what a command leaves out', () => {
    expect(parseNewNamingAuthority({ namingAuthority: '100.103' })).toEqual({
      ...{ prefix: '100.103', state: 'active', profile: 'cordra', caseInsensitive: false, uuidVersion: 4 },
      ...{
        storesHandleValues: false,
        sandbox: false,
        metadataIdScheme: 'recognized',
        targetTemplate: null,
        resolver: null,
      },
    });
    expect(parseNewNamingAuthority({ namingAuthority: '10.500' }).caseInsensitive).toBe(true);
  });

  it.each([
    [{ namingAuthority: 'abc' }, /^INVALID_NAMING_AUTHORITY/],
    [
      { namingAuthority: 'ä'.repeat(200), profile: 'handle' as const },
      /^INVALID_REQUEST: \/namingAuthority: has 400 bytes/,
    ],
    [
      { namingAuthority: '0.NA', profile: 'handle' as const, caseInsensitive: false },
      /\/caseInsensitive: must be true/,
    ],
    [{ namingAuthority: 'exports', profile: 'handle' as const }, /^RESERVED_NAMING_AUTHORITY: "exports" is reserved: /],
    ...['a b', ' a', 'a\u00a0b', 'hdl:', 'http:', 'info:hdl', 'HDL:7', 'ftp:', 'hdl.handle.net', 'demo:7'].map(
      (namingAuthority) =>
        [
          { namingAuthority, profile: 'handle' as const },
          /^INVALID_REQUEST: \/namingAuthority: cannot be the start of an identifier/,
        ] as const,
    ),
    [
      { namingAuthority: '1', storesHandleValues: true },
      /\/storesHandleValues: is permitted only under the profile "handle"/,
    ],
    [{ namingAuthority: '1', targetTemplate: 'https://a.example/' }, /must contain \{guid\}/],
    [{ namingAuthority: '1', resolver: { scheme: 'ftp', authority: 'a.example' } }, /^INVALID_REQUEST: \/resolver: /],
  ])('rejects %j', (command, rejection) => {
    expect(() => parseNewNamingAuthority(command)).toThrow(rejection);
  });

  it.each(['Lib-7', 'ark-Ä', '0.NA', '21.T14999', 'x%y', 'hdl', 'http'])('permits %s', (namingAuthority) => {
    expect(parseNewNamingAuthority({ namingAuthority, profile: 'handle' }).prefix).toBe(namingAuthority);
  });

  it('settings that are absent are not changed, and null removes them', () => {
    expect(parseSettings({})).toEqual({});
    expect(parseSettings({ resolver: null, targetTemplate: null })).toEqual({ resolver: null, targetTemplate: null });
  });
});
