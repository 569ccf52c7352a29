import { describe, expect, it } from '@jest/globals';
import * as id from '../../packages/identifier/src/index.js';

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
const guid = GUID.toLowerCase();

describe('keys', () => {
  it('R-24: the registry key excludes query and fragment, the comparison key does not', () => {
    const plain = id.toCordraId(`100.102/${guid}`);
    const queried = id.toCordraId(`100.102/${guid}?v=2#a`);
    expect(id.registryKey(plain)).toBe(`100.102/${GUID}`);
    expect(id.registryKey(queried)).toBe(`100.102/${GUID}`);
    expect(id.comparisonKey(queried)).toBe(`hdl:100.102/${GUID}?v=2#a`);
    expect(id.sameName(plain, queried)).toBe(false);
  });

  it('CID-03: a CORDRA identifier and the Handle with its text share a key', () => {
    const cordra = id.toCordraId(`100.102/${guid}?v=2`);
    expect(id.comparisonKey(id.toHandle(id.formatCordraId(cordra)))).toBe(id.comparisonKey(cordra));
    expect(id.formatHandle(id.asHandle(cordra))).toBe(id.formatCordraId(cordra));
    expect(id.sameName(id.toHandle(`1/${GUID}?a`), id.toCordraId(`1/${GUID}?A`), { caseInsensitive: true })).toBe(true);
  });

  it('names of different systems never share a key', () => {
    const keys = [
      id.comparisonKey(id.toHandle('info:fedora/demo:1')),
      id.comparisonKey(id.toFedoraPid('demo:1')),
      id.comparisonKey(id.toFedoraDissemination('info:fedora/demo:1/DC')),
      id.comparisonKey(id.toUuid(guid)),
      id.comparisonKey(id.toHandle(`urn:uuid:/${GUID}`)),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('a UUID and a dissemination have their canonical text as key', () => {
    expect(id.comparisonKey(id.toUuid(guid))).toBe(`urn:uuid:${GUID}`);
    expect(id.comparisonKey(id.toFedoraDissemination('info:fedora/demo:1/DC'))).toBe('info:fedora/demo:1/DC');
  });
});

it('whatever is no string is no identifier', () => {
  const checks = [id.isCordraId, id.isHandle, id.isHdlUri, id.isHttpUri, id.isInfoHdl, id.isUuid];
  for (const is of [...checks, id.isFedoraPid, id.isFedoraUri, id.isFedoraDissemination]) {
    expect([undefined, null, 5, {}, ['1/x']].map((input) => is(input))).toEqual([false, false, false, false, false]);
  }
});

describe('naming authorities on their own', () => {
  it('HS-07: a derived prefix has a parent', () => {
    expect(id.parentNamingAuthority('10.978.88')).toBe('10.978');
    expect(id.parentNamingAuthority('12345.1')).toBe('12345');
    expect(id.parentNamingAuthority('12345')).toBeNull();
  });

  it('are read for a profile', () => {
    expect(id.parseNamingAuthority('2000.01', { profile: 'cordra' })).toMatchObject({ ok: true, value: '2000.01' });
    expect(id.parseNamingAuthority('10.ABC', { profile: 'cordra' })).toMatchObject({ fault: { offset: 3 } });
    expect(id.parseNamingAuthority('10.ABC').ok).toBe(true);
    expect(id.parseNamingAuthority('10.A/C')).toMatchObject({ fault: { offset: 4 } });
    expect(id.parseNamingAuthority('10.\u{1f600}')).toMatchObject({ fault: { code: 'NOT_UCS2' } });
    expect(id.namingAuthorityKey('10.aBcß')).toBe('10.ABCß');
  });
});

describe('resolvers (URI-36)', () => {
  it.each([
    [{ scheme: 'ftp', authority: 'h' }, 'WRONG_SCHEME'],
    [{ scheme: 'http', authority: '' }, 'INVALID_AUTHORITY'],
    [{ scheme: 'http', authority: 'u:p@h' }, 'INVALID_AUTHORITY'],
    [{ scheme: 'http', authority: 'h/x' }, 'INVALID_AUTHORITY'],
    [{ scheme: 'http', authority: 'h:x' }, 'INVALID_AUTHORITY'],
    [{ scheme: 'http', authority: '[::1' }, 'INVALID_AUTHORITY'],
    [{ scheme: 'http', authority: '[1:2:3:4:5:6:7:8:9]' }, 'INVALID_AUTHORITY'],
    [{ scheme: 'http', authority: 'h', firstSegment: 'a/b' }, 'INVALID_CHARACTER'],
    [{ scheme: 'http', authority: 'h', firstSegment: '' }, 'SEGMENT_COUNT'],
    [{ scheme: 'http', authority: 'h', firstSegment: '..' }, 'SEGMENT_COUNT'],
    [{ scheme: 'http', authority: 'h', firstSegment: '%4' }, 'INVALID_CHARACTER'],
  ])('%j is refused: %s', (config, code) => {
    expect(id.parseResolver(config)).toMatchObject({ ok: false, fault: { code } });
  });

  it.each([
    [{ scheme: 'HTTP', authority: 'HDL.Handle.net:80' }, 'http://hdl.handle.net/'],
    [{ scheme: 'https', authority: 'h:443', firstSegment: '%7Ex' }, 'https://h/~x/'],
    [{ scheme: 'https', authority: 'h:80', firstSegment: null }, 'https://h:80/'],
    [{ scheme: 'http', authority: '[2001:DB8::1.2.3.4]:8000' }, 'http://[2001:db8::1.2.3.4]:8000/'],
    [{ scheme: 'http', authority: '[V1.A:b]' }, 'http://[v1.a:b]/'],
    [{ scheme: 'http', authority: '190.12.34.56' }, 'http://190.12.34.56/'],
  ])('%j is normalised to %s', (config, prefix) => {
    expect(id.toResolver(config)).toMatchObject({ prefix });
  });

  it('cannot be changed once checked', () => {
    expect(Object.isFrozen(id.toResolver({ scheme: 'http', authority: 'h' }))).toBe(true);
  });
});

describe('nothing can be changed from outside', () => {
  it.each<[string, id.Result<unknown>]>([
    ['a CORDRA identifier', id.parseCordraId(`1/${GUID}`)],
    ['a Handle', id.parseHandle('1/x')],
    ['an hdl URI', id.parseHdlUri('hdl:1/x')],
    ['an HTTP URI', id.parseHttpUri('http://hdl.handle.net/1/x')],
    ['an info URI', id.parseInfoHdl('info:hdl/1/x')],
    ['a PID', id.parseFedoraPid('a:1')],
    ['a datastream', id.parseFedoraDissemination('info:fedora/a:1/DC')],
    ['a method call', id.parseFedoraDissemination('info:fedora/a:1/b:2/m?b=%41&a=2')],
    ['a method call without parameters', id.parseFedoraDissemination('info:fedora/a:1/b:2/m')],
    ['a UUID', id.parseUuid(guid)],
  ])('%s is frozen, with all that it has', (_, read) => {
    expect(read.ok && isDeepFrozen(read.value)).toBe(true);
  });

  it('the lists are frozen', () => {
    const lists = [id.KINDS, id.SYNTAX_CODES, id.REPAIR_CODES, id.WELL_KNOWN_RESOLVERS];
    expect(lists.map((list) => Object.isFrozen(list))).toEqual([true, true, true, true]);
  });

  function isDeepFrozen(value: unknown): boolean {
    return typeof value !== 'object' || value === null
      ? true
      : Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
  }
});
