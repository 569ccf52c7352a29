import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_RESOLVER, recognize } from '@mintmark/identifier';
import { denotes, isNameOf } from '../../src/registry/key-collision.js';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import { opaqueFault, opaqueName, searchedOpaqueName } from '../../src/registry/opaque-metadata-id.js';
import { Problem } from '../../src/problem/problem.js';
import { readMetadataId } from '../../src/registry/parse-names.js';
import { GUID, KNOWN, authorityWith } from '../records.js';

const ANY = authorityWith({ prefix: '20.500', profile: 'handle', metadataIdScheme: 'any' });
const FOLDING = authorityWith({ prefix: '20.600', profile: 'handle', caseInsensitive: true });
const both = new NamingAuthoritySnapshot([authorityWith(), ANY, FOLDING], DEFAULT_RESOLVER);

const bytesOf = (text: string) => Buffer.from(text).toString('hex');
const opaqueTexts = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.constantFrom(
      'oai:repo.org:123/4',
      '4711',
      '04711',
      'hdl:20.500/a',
      'HDL:20.500/a',
      'opaque:a',
      'a',
      'A',
      'é',
      'e\u0301',
    ),
  )
  .filter((text) => opaqueFault(text) === null);

/** Texts that are recognized: Handles of this registry and of others, Fedora names and UUIDs, in several notations. */
const localNames = fc.stringMatching(/^[A-Za-z0-9._~%]{1,12}$/);
const recognizedTexts = fc
  .oneof(
    fc
      .tuple(
        fc.constantFrom('', 'hdl:', 'info:hdl/', 'https://hdl.handle.net/'),
        fc.constantFrom('20.500', '20.600', '1234', '10.5'),
      )
      .chain(([form, prefix]) => localNames.map((local) => `${form}${prefix}/${local}`)),
    fc.constantFrom(
      `100.102/${GUID}`,
      `hdl:100.102/${GUID}?v=1`,
      'demo:7',
      'info:fedora/demo:7',
      'info:fedora/demo:1/DC',
    ),
    fc.uuid(),
  )
  .filter((text) => recognize(text).ok);

describe('an opaque metadata ID', () => {
  it('has another key than each text that differs in a byte', () => {
    fc.assert(
      fc.property(opaqueTexts, opaqueTexts, (a, b) => {
        expect(opaqueName(a).key === opaqueName(b).key).toBe(bytesOf(a) === bytesOf(b));
        expect(denotes(a, opaqueName(b))).toBe(a === b);
      }),
    );
  });

  it('has another key than every name that is recognized, also one that is spelled like it', () => {
    fc.assert(
      fc.property(recognizedTexts, opaqueTexts, (handle, text) => {
        const read = both.readName(handle);
        if (!read.ok) throw new TypeError(handle);
        const spelled = [handle, read.value.canonical, read.value.comparison, text];
        for (const each of spelled) {
          expect(opaqueName(each).key).not.toBe(read.value.key);
          expect(opaqueName(each).comparison).not.toBe(read.value.comparison);
        }
      }),
    );
  });

  it('is kept as it is sent', () => {
    fc.assert(
      fc.property(opaqueTexts, (text) => {
        expect(readMetadataId(text, both, '/metadataId', 'any').canonical).toBe(text);
      }),
    );
  });

  it.each([
    ['', 'must not be empty'],
    ['a\0', 'has the control character U+0000 at offset 1'],
    ['a\tb', 'has the control character U+0009 at offset 1'],
    ['a\n', 'has the control character U+000A at offset 1'],
    ['\x1f', 'has the control character U+001F at offset 0'],
    ['\x7f', 'has the control character U+007F at offset 0'],
    ['\x80', 'has the control character U+0080 at offset 0'],
    ['\x9f', 'has the control character U+009F at offset 0'],
    ['a\ud800', 'has a surrogate without its partner, which UTF-8 does not encode'],
    ['\udc00a', 'has a surrogate without its partner, which UTF-8 does not encode'],
    ['a'.repeat(2049), 'has 2049 bytes in UTF-8; at most 2048 are allowed'],
    [`${'é'.repeat(1024)}a`, 'has 2049 bytes in UTF-8; at most 2048 are allowed'],
  ])('%j is rejected', (text, fault) => {
    expect(opaqueFault(text)).toBe(fault);
    const rejected = new Problem('INVALID_REQUEST', `The metadata ID ${fault}.`);
    expect(() => readMetadataId(text, both, '/metadataId', 'any')).toThrow(rejected);
  });

  it.each([' ', '~', '\xa0', '\u2028', '\ufeff', '\u{10ffff}', 'a'.repeat(2048), 'é'.repeat(1024)])(
    '%j is none',
    (text) => {
      expect(opaqueFault(text)).toBeNull();
    },
  );
});

describe('a text of a search', () => {
  it('can be an opaque metadata ID where a searched naming authority has such', () => {
    expect(searchedOpaqueName('4711', KNOWN)).toBeUndefined();
    const opaque = {
      ...{ canonical: '4711', comparison: 'opaque:4711', rule: 'exact' },
      key: '792690ff-65d6-0566-7f21-ffda5956e83a',
      keyFoldsCase: null,
      needsHandle: false,
    };
    expect(searchedOpaqueName('4711', both)).toEqual(opaque);
    expect(searchedOpaqueName('4711', both, '20.500')).toEqual(opaque);
    expect(searchedOpaqueName('4711', both, '100.102')).toBeUndefined();
    expect(searchedOpaqueName('4711', both, '1234')).toBeUndefined();
    expect(searchedOpaqueName('a\n', both)).toBeUndefined();
  });

  it('cannot be one where the principal sees no such naming authority', () => {
    const view = both.seenBy({}, (prefix) => prefix !== '20.500');
    expect(searchedOpaqueName('4711', view)).toBeUndefined();
    expect(searchedOpaqueName('4711', view, '20.500')).toBeUndefined();
    expect([view.metadataIdScheme('20.500'), both.metadataIdScheme('20.500')]).toEqual(['recognized', 'any']);
  });
});

it.each([
  ['20.500/a', 'any'],
  ['https://hdl.handle.net/20.500/a', 'any'],
  [`100.102/${GUID}`, 'recognized'],
  ['1234/a', 'recognized'],
  ['demo:7', 'recognized'],
  ['no name', 'recognized'],
])('the identifier %s has metadata IDs of the scheme %s', (identifier, scheme) => {
  expect(both.metadataIdSchemeOf(identifier)).toBe(scheme);
});

it('an identifier is described by the key of its own name, which no opaque text has', () => {
  const record = { namingAuthority: '100.102', guid: GUID, localName: GUID };
  expect(isNameOf(opaqueName(`100.102/${GUID}`).comparison, record, false)).toBe(false);
});

it.each(['oai:repo.org:123/4', '6ba7b810-9dad-11d1-80b4-00c04fd430c8', '4711'])(
  '%s elsewhere is rejected with the IDs that fit',
  (text) => {
    expect(() => readMetadataId(text, KNOWN, '/metadataId')).toThrow(
      /CORDRA identifier, another Handle, a Fedora PID or a Fedora dissemination URI.*"metadataIdScheme": "any"/s,
    );
  },
);
