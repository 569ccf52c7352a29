import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as id from '../../packages/identifier/src/index.js';
import { samples } from './texts.js';

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
const pid = id.toFedoraPid({ namespaceId: 'demo', objectId: '1' });
const sDefPid = id.toFedoraPid('demo:S');

/** The fault of what a call throws: code, offset, rule. */
function faultOf(call: () => unknown): readonly unknown[] {
  try {
    return [call()];
  } catch (error) {
    if (!(error instanceof id.IdentifierSyntaxError)) throw error;
    return [error.code, error.offset, error.rule];
  }
}

describe('a value of parts', () => {
  it('is that of the text which they make', () => {
    const plain = id.toCordraId({ namingAuthority: '100.102', guid: GUID.toLowerCase() });
    expect(plain).toEqual(id.toCordraId(`100.102/${GUID}`));
    expect(id.formatCordraId(id.toCordraId({ ...plain, query: 'a=%7e', fragment: '?' }))).toBe(`100.102/${GUID}?a=~#?`);
    expect(id.formatCordraId(id.toCordraId({ ...plain, query: '', fragment: null }))).toBe(`100.102/${GUID}?`);
    expect(id.formatCordraId(id.toCordraId({ ...plain, fragment: '' }))).toBe(`100.102/${GUID}#`);
    expect(id.toHandle({ namingAuthority: '10.1', localName: 'a/b?c' })).toEqual(id.toHandle('10.1/a/b?c'));
    expect(id.toHandle({ namingAuthority: '10.1', localName: '' })).toEqual(id.toHandle('10.1/'));
    expect(id.toFedoraPid({ namespaceId: 'demo', objectId: '1%3a' })).toEqual(id.toFedoraPid('demo:1%3A'));
  });

  it('of a dissemination has its texts escaped and its parameters sorted', () => {
    const datastream = id.toFedoraDissemination({ pid, datastreamId: 'résumé' });
    expect(id.formatFedoraDissemination(datastream)).toBe('info:fedora/demo:1/r%C3%A9sum%C3%A9');
    const call = { pid, sDefPid, methodName: 'm' };
    expect(id.formatFedoraDissemination(id.toFedoraDissemination(call))).toBe('info:fedora/demo:1/demo:S/m');
    const params = [
      { name: 'b', value: 'a/b&c=d#e' },
      { name: 'a', value: 'é' },
    ];
    expect(id.formatFedoraDissemination(id.toFedoraDissemination({ ...call, params }))).toBe(
      'info:fedora/demo:1/demo:S/m?a=%C3%A9&b=a%2Fb%26c%3Dd%23e',
    );
  });

  it('is frozen', () => {
    const values = [
      id.toCordraId({ namingAuthority: '1', guid: GUID }),
      id.toHandle({ namingAuthority: '1', localName: '' }),
    ];
    expect([...values, pid].map((value) => Object.isFrozen(value))).toEqual([true, true, true]);
  });

  it('made of a value is equal to it', () => {
    fc.assert(
      fc.property(samples, ({ input, kind, context }) => {
        const read = id.normalize(input, kind, context);
        if (!read.valid) throw new Error(input);
        const { name } = read;
        if (name.type === 'cordra') expect(id.toCordraId({ ...name })).toEqual(name);
        else if (name.type === 'handle') expect(id.toHandle({ ...name }, { charset: 'unicode' })).toEqual(name);
        else if (name.type === 'fedora-pid') expect(id.toFedoraPid({ ...name })).toEqual(name);
        else if (name.type === 'fedora-dissemination') expect(id.toFedoraDissemination({ ...name })).toEqual(name);
      }),
      { numRuns: 2500 },
    );
  });
});

describe('parts that make no value', () => {
  it.each<[string, () => unknown, readonly unknown[]]>([
    [
      'a naming authority with the separator',
      () => id.toCordraId({ namingAuthority: '10/1', guid: GUID }),
      ['INVALID_NAMING_AUTHORITY', 2, 'CID-08'],
    ],
    [
      'a GUID with a query',
      () => id.toCordraId({ namingAuthority: '1', guid: `${GUID}?a` }),
      ['INVALID_GUID', 34, 'CID-10'],
    ],
    [
      'a query with a fragment',
      () => id.toCordraId({ namingAuthority: '1', guid: GUID, query: 'a#b' }),
      ['INVALID_QUERY', 36, 'CID-16'],
    ],
    [
      'a fragment with another one',
      () => id.toCordraId({ namingAuthority: '1', guid: GUID, query: '', fragment: 'a#b' }),
      ['INVALID_FRAGMENT', 37, 'CID-19'],
    ],
    [
      'a naming authority of a Handle with the separator',
      () => id.toHandle({ namingAuthority: '10/1', localName: 'x' }),
      ['INVALID_NAMING_AUTHORITY', 2, 'R-08'],
    ],
    [
      'a local name beyond UCS-2',
      () => id.toHandle({ namingAuthority: '10.1', localName: '😀' }),
      ['NOT_UCS2', 5, 'HS-02'],
    ],
    [
      'a namespace with the separator',
      () => id.toFedoraPid({ namespaceId: 'a:b', objectId: 'c' }),
      ['INVALID_PID', 3, 'FED-04'],
    ],
    [
      'a namespace with the escaped separator',
      () => id.toFedoraPid({ namespaceId: 'a%3Ab', objectId: 'c' }),
      ['INVALID_PID', 5, 'FED-04'],
    ],
    [
      'a datastream ID that is no name',
      () => id.toFedoraDissemination({ pid, datastreamId: 'a/b' }),
      ['INVALID_DATASTREAM_ID', 20, 'FED-10'],
    ],
    [
      'half of a surrogate pair',
      () => id.toFedoraDissemination({ pid, datastreamId: 'a\ud800b' }),
      ['INVALID_UTF8', 20, 'URI-24'],
    ],
    [
      'a parameter without a name',
      () => id.toFedoraDissemination({ pid, sDefPid, methodName: 'm', params: [{ name: '', value: '' }] }),
      ['INVALID_PARAM', 28, 'FED-16'],
    ],
  ])('%s: the fault, with its place in the text of the parts', (_, call, fault) => {
    expect(faultOf(call)).toEqual(fault);
  });

  it.each<[string, () => unknown]>([
    ['namingAuthority', () => id.toCordraId({ guid: GUID } as never)],
    ['guid', () => id.toCordraId({ namingAuthority: '1' } as never)],
    ['localName', () => id.toHandle({ namingAuthority: '1' } as never)],
    ['objectId', () => id.toFedoraPid({ namespaceId: 'demo' } as never)],
    ['methodName', () => id.toFedoraDissemination({ pid, sDefPid } as never)],
    ['value', () => id.toFedoraDissemination({ pid, sDefPid, methodName: 'm', params: [{ name: 'a' }] } as never)],
  ])('%s: a part that is missing is a TypeError in words', (part, call) => {
    expect(call).toThrow(new TypeError(`${part}: expected a string, found a value of type undefined`));
  });
});

describe('what is thrown', () => {
  it('has the members of the fault', () => {
    const call = (): unknown => id.unwrap(id.parseCordraId('100.102/F58'));
    expect(faultOf(call)).toEqual(['INVALID_GUID', 11, 'CID-10']);
    const message = 'INVALID_GUID at 11: expected exactly 32 hexadecimal digits, found the end after 3';
    expect(call).toThrow(expect.objectContaining({ name: 'IdentifierSyntaxError', message }));
  });

  it('is not thrown by unwrap for a value', () => {
    expect(id.unwrap(id.recognize(`HDL:1/${GUID}`))).toMatchObject({ kind: 'hdl-uri', normalized: `hdl:1/${GUID}` });
  });

  it('names the rules of a version', () => {
    expect(id.RULES_VERSION).toBe(1);
  });
});
