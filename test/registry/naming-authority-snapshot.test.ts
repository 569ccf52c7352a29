import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_RESOLVER, formatHandle, isHandle, toHandle, toResolver } from '@mintmark/identifier';
import { NamingAuthoritySnapshot, activeIn, addressIn } from '../../src/registry/naming-authority-snapshot.js';
import { type NamingAuthority, isCaseInsensitiveByRule } from '../../src/registry/naming-authority.js';

const authority = (prefix: string, settings: Partial<NamingAuthority> = {}): NamingAuthority => ({
  prefix,
  state: 'active',
  profile: 'handle',
  caseInsensitive: isCaseInsensitiveByRule(prefix),
  storesHandleValues: false,
  sandbox: false,
  metadataIdScheme: 'recognized',
  uuidVersion: 4,
  targetTemplate: null,
  resolver: null,
  version: 1,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ...settings,
});

const CASED = authority('20.500');
const FOLDING = authority('20.600', { caseInsensitive: true });
const LETTERS = authority('Ark');
const CORDRA = authority('100.102', { profile: 'cordra' });
const PREFIXES = authority('0.NA');
const known = new NamingAuthoritySnapshot([CASED, FOLDING, LETTERS, CORDRA, PREFIXES], DEFAULT_RESOLVER);

const keyOf = (text: string) => {
  const read = known.readName(text);
  return read.ok ? read.value.key : read.fault.code;
};
const localKey = (of: NamingAuthority, localName: string) => addressIn(of, localName).localKey;

/** Letters with a case outside ASCII, and characters that URIs escape. */
const SPECIAL = fc.constantFrom(...'aAbkKsSiIßﬀİıſ\u212aéÉ/?#%:@ .~"<>[]{}|\\^`');
const localNames = fc
  .string({
    unit: fc.oneof(SPECIAL, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 })),
    minLength: 1,
    maxLength: 20,
  })
  .filter((text) => isHandle(`1/${text}`));

describe('the key of a local name', () => {
  it.each([CASED, FOLDING, LETTERS, PREFIXES])(
    'says the same of two names as the key of a metadata ID: $prefix',
    (of) => {
      const variants = localNames.chain((text) =>
        fc.tuple(
          fc.constant(text),
          fc.oneof(localNames, fc.constantFrom(text, text.toUpperCase(), text.toLowerCase())),
        ),
      );
      fc.assert(
        fc.property(variants, ([one, two]) => {
          const names = [one, two].map((localName) => toHandle(`${of.prefix}/${localName}`, { charset: 'unicode' }));
          const [first, second] = names.map((name) => known.canonicalName(name).key);
          expect(localKey(of, one) === localKey(of, two)).toBe(first === second);
        }),
        { numRuns: 500 },
      );
    },
  );

  it('R-15: folds the 26 letters of ASCII and no other character', () => {
    for (let code = 0x21; code < 0xffff; code++) {
      const character = String.fromCharCode(code);
      if (!isHandle(`1/${character}`)) continue;
      const isLetter = /^[a-z]$/.test(character);
      const upper = isLetter ? character.toUpperCase() : character;
      if (localKey(FOLDING, character) !== localKey(FOLDING, upper))
        throw new Error(`${code.toString(16)} is not kept`);
      if (localKey(CASED, character) === localKey(CASED, upper) && isLetter) throw new Error(`${character} is folded`);
    }
    expect(localKey(FOLDING, 'ſ')).not.toBe(localKey(FOLDING, 'S'));
    expect(localKey(FOLDING, '\u212a')).not.toBe(localKey(FOLDING, 'K'));
  });

  it('R-35: has no case under 0.NA', () => {
    expect(localKey(PREFIXES, '20.abc')).toBe(localKey(PREFIXES, '20.ABC'));
    expect(keyOf('0.na/20.abc')).toBe(keyOf('hdl:0.NA/20.ABC'));
  });
});

describe('recognition among known naming authorities', () => {
  it('reads the canonical text of any name back as that name', () => {
    fc.assert(
      fc.property(fc.constantFrom(CASED, FOLDING, LETTERS), localNames, ({ prefix }, localName) => {
        const name = toHandle(`${prefix}/${localName}`, { charset: 'unicode' });
        const { canonical, key } = known.canonicalName(name);
        const read = known.readName(canonical);
        expect(read.ok && read.value.name.type === 'handle' && formatHandle(read.value.name)).toBe(
          `${prefix}/${localName}`,
        );
        expect(keyOf(canonical)).toBe(key);
      }),
      { numRuns: 1000 },
    );
  });

  const digits = '0a1b2c3d4e5f60718293a4b5c6d7e8f9';

  it.each([digits, `${digits}?x`, `${digits}#x`, `${digits}?x#y`])(
    'CID-02: %s is a text under the profile "handle"',
    (localName) => {
      const name = toHandle(`20.500/${localName}`);
      const escaped = encodeURIComponent(localName);
      const spellings = [`20.500/${localName}`, `hdl:20.500/${escaped}`, `hdl://20.500/${escaped}`];
      spellings.push(
        `info:hdl/20.500/${escaped}`,
        `https://hdl.handle.net/20.500/${escaped}`,
        `doi:20.500/${localName}`,
      );
      for (const spelling of spellings) {
        const read = known.readName(spelling);
        expect([spelling, read.ok && read.value.name]).toEqual([spelling, name]);
      }
    },
  );

  it('CID-13: 32 digits have one key, whatever their case, hyphens and profile are, and who sends them', () => {
    const spellings = [
      digits,
      digits.toUpperCase(),
      '0A1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9',
      `${digits}?x`,
      `${digits}#y`,
    ];
    const [none, cordra, handle] = [
      new NamingAuthoritySnapshot([], DEFAULT_RESOLVER),
      new NamingAuthoritySnapshot([authority('777', { profile: 'cordra' })], DEFAULT_RESOLVER),
      new NamingAuthoritySnapshot([authority('777')], DEFAULT_RESOLVER),
    ];
    const views = [none, cordra, handle, cordra.seenBy({}, () => false), handle.seenBy({}, () => false)];
    const keys = views.flatMap((view) =>
      spellings.map((localName) => {
        const read = view.readName(`777/${localName}`);
        return read.ok && read.value.key;
      }),
    );
    // The first 16 bytes of the SHA-256 of "hdl:777/0A1B2C3D4E5F60718293A4B5C6D7E8F9".
    expect(new Set(keys)).toEqual(new Set(['90433d2f-4882-29c6-1a57-2906f19b83ac']));
  });

  it('HS-04: the case of other letters is in the key, also of digits behind a prefix of letters', () => {
    expect(keyOf('20.500/abc')).not.toBe(keyOf('20.500/ABC'));
    expect(keyOf(`Ark/${digits}`)).not.toBe(keyOf(`Ark/${digits.toUpperCase()}`));
    expect(keyOf(`20.500/${digits}0`)).not.toBe(keyOf(`20.500/${digits.toUpperCase()}0`));
    expect(keyOf(`20.600/${digits}0`)).toBe(keyOf(`20.600/${digits.toUpperCase()}0`));
  });

  it('R-36: DOIs of others are case-insensitive, and ours can be case-sensitive', () => {
    expect(keyOf('10.1000/abc')).toBe(keyOf('https://doi.org/10.1000/ABC'));
    const configured = new NamingAuthoritySnapshot(
      [authority('10.1000', { caseInsensitive: false })],
      DEFAULT_RESOLVER,
    );
    const [lower, upper] = ['10.1000/abc', '10.1000/ABC'].map((text) => configured.canonicalName(toHandle(text)).key);
    expect(lower).not.toBe(upper);
  });

  it.each([
    [' hdl:100.102/report', 'INVALID_GUID', 13, 'CID-10'],
    ['100.102/0a1b2c3d4e5f60718293a4b5c6d7e8f', 'INVALID_GUID', 39, 'CID-10'],
    ['https://hdl.handle.net/100.102/0a1b2c3d4e5f60718293a4b5c6d7e8f', 'INVALID_GUID', 62, 'CID-10'],
    ['hdl:100.102/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f', 'INVALID_GUID', 20, 'CID-10'],
  ])('CID-10: %j is rejected under the profile "cordra" where it breaks', (text, code, offset, rule) => {
    expect(known.readName(text)).toMatchObject({ ok: false, fault: { code, offset, rule } });
    expect(known.readAlternate(text)).toMatchObject({ ok: false, fault: { code, offset, rule } });
    const elsewhere = text.replace('100.102', '100.103');
    expect(known.readName(elsewhere)).toMatchObject({ ok: true, value: { name: { type: 'handle' } } });
  });

  it.each([
    '100.102/0A1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9',
    'hdl:100.102/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9?x=1#y',
    'hdl://100.102/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9',
    'info:hdl/100.102/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9',
    'https://doi.org/100.102/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9',
    'doi:100.102/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9',
  ])('UUID-01: %s is read as the GUID, and told', (text) => {
    const read = known.recognize(text);
    if (!read.ok) throw new Error(read.fault.detail);
    const guid = '0A1B2C3D4E5F60718293A4B5C6D7E8F9';
    expect(read.value.name).toMatchObject({ type: 'cordra', namingAuthority: '100.102', guid });
    expect(read.repairs).toContain('HYPHENS_REMOVED');
    expect(known.readName(text.replace('100.102', '20.500'))).toMatchObject({ value: { name: { type: 'handle' } } });
  });

  it('has no address for a name under a naming authority of others, a PID or a UUID', () => {
    for (const text of ['1234/x', 'demo:7', `urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5`]) {
      const read = known.recognize(text);
      expect(read.ok && known.locate(read.value.name)).toBeNull();
    }
  });
});

describe('a naming authority that cannot mint', () => {
  it.each([
    ['9.9', 'UNKNOWN_NAMING_AUTHORITY', 'no naming authority "9.9" exists'],
    ['20.700', 'SUSPENDED_NAMING_AUTHORITY', 'the naming authority "20.700" is suspended'],
  ])('%s is rejected as %s: %s', (prefix, code, detail) => {
    const some = new NamingAuthoritySnapshot([authority('20.700', { state: 'suspended' })], DEFAULT_RESOLVER);
    const errors = [{ pointer: '/namingAuthority', detail }];
    expect(() => activeIn(some, prefix)).toThrow(expect.objectContaining({ code, extensions: { errors } }));
  });
});

describe('resolvers of naming authorities', () => {
  const own = toResolver({ scheme: 'https', authority: 'hdl.handle.net', firstSegment: 'api' });
  const second = authority('20.800', { resolver: toResolver({ scheme: 'https', authority: 'id.example.org' }) });
  const among = new NamingAuthoritySnapshot([authority('20.700', { resolver: own }), second, CASED], DEFAULT_RESOLVER);
  const native = (text: string) => {
    const read = among.recognize(text);
    return read.ok && read.value.name.type === 'handle' ? formatHandle(read.value.name) : read;
  };

  it('URI-31: read a URL by three segments before others of the host read it by two', () => {
    expect(native('https://hdl.handle.net/api/20.700/x')).toBe('20.700/x');
    expect(native('http://hdl.handle.net/api/20.500/x')).toBe('20.500/x');
    expect(native('https://hdl.handle.net/20.700/x')).toBe('20.700/x');
    expect(native('https://hdl.handle.net/api/x')).toBe('api/x');
    expect(native('https://id.example.org/20.800/x')).toBe('20.800/x');
  });

  it('URI-36: are those that names are written for', () => {
    expect(among.resolverOf(toHandle('20.700/x'))).toBe(own);
    expect(among.resolverOf(toHandle('20.500/x'))).toBe(DEFAULT_RESOLVER);
  });
});

describe('the snapshot of a principal that sees some naming authorities', () => {
  const own = toResolver({ scheme: 'https', authority: 'id.example.org' });
  const hidden = authority('20.700', { resolver: own });
  const all = new NamingAuthoritySnapshot([CORDRA, FOLDING, hidden], DEFAULT_RESOLVER);
  const reader = {};
  const view = all.seenBy(reader, (prefix) => prefix !== '20.600' && prefix !== '20.700');

  it('is made once for each principal', () => {
    expect(all.seenBy(reader, () => true)).toBe(view);
    expect(all.seenBy({}, () => true)).not.toBe(view);
  });

  it('lists and finds the visible ones only', () => {
    expect(all.all()).toEqual([CORDRA, FOLDING, hidden]);
    expect(view.all()).toEqual([CORDRA]);
    expect(view.find('100.102')).toBe(CORDRA);
    expect(view.find('20.600')).toBeUndefined();
    expect(all.find('20.600')).toBe(FOLDING);
    expect(all.find('20.601')).toBeUndefined();
  });

  it('has no address under a hidden one, and writes its names for the default resolver', () => {
    const name = toHandle('20.700/x');
    expect([all.locate(name), view.locate(name)]).toEqual([
      {
        ...{ namingAuthority: '20.700', guid: null, comparison: 'x', foldsCase: false },
        localKey: '2d711642-b726-b044-0162-7ca9fbac32f5',
      },
      null,
    ]);
    expect([all.resolverOf(name), view.resolverOf(name)]).toEqual([own, DEFAULT_RESOLVER]);
  });

  it('reads no URL of the resolver of a hidden one', () => {
    expect(all.recognize('https://id.example.org/20.700/x')).toMatchObject({
      ok: true,
      value: { name: { type: 'handle' } },
    });
    expect(view.recognize('https://id.example.org/20.700/x').ok).toBe(false);
  });

  it('reads a name under a hidden one as under an unknown one, and stores and finds it as for all', () => {
    const digits = '0a1b2c3d4e5f60718293a4b5c6d7e8f9';
    const [stored, wanted] = [all.readName(`20.600/${digits}`), view.readName(`20.600/${digits}`)];
    expect(stored).toMatchObject({ value: { name: { type: 'handle' }, canonical: `hdl:20.600/${digits}` } });
    expect(wanted).toMatchObject({
      value: { name: { type: 'cordra', guid: digits.toUpperCase() }, canonical: `hdl:20.600/${digits}` },
    });
    expect(stored.ok && wanted.ok && wanted.value.key === stored.value.key).toBe(true);
    expect(view.readName('a b').ok).toBe(false);
    // The case of other letters: one key, and two names for a principal that does not know the rule.
    const [one, other] = [view.readName('20.600/abc'), view.readName('20.600/ABC')];
    expect(one.ok && other.ok && [one.value.key === other.value.key, one.value.comparison]).toEqual([
      true,
      'hdl:20.600/abc',
    ]);
  });

  it('keeps the letters of an alternate under a hidden and an unknown one, and no others', () => {
    const digits = '0a1b2c3d4e5f60718293a4b5c6d7e8f9';
    const canonicalIn = (from: NamingAuthoritySnapshot, text: string) => {
      const read = from.readAlternate(text);
      return read.ok && read.value.canonical;
    };
    for (const prefix of ['11858', '20.600']) {
      expect(canonicalIn(view, `${prefix}/${digits}`)).toBe(`hdl:${prefix}/${digits}`);
      expect(canonicalIn(view, `info:hdl/${prefix}/${digits}%3fv=1`)).toBe(`hdl:${prefix}/${digits}?v=1`);
      expect(canonicalIn(view, `hdl:${prefix}/0%61${digits.slice(2)}?v=%7e1`)).toBe(`hdl:${prefix}/${digits}?v=~1`);
    }
    expect(canonicalIn(view, `100.102/${digits}`)).toBe('hdl:100.102/0A1B2C3D4E5F60718293A4B5C6D7E8F9');
    expect(canonicalIn(all, `20.600/${digits}`)).toBe(`hdl:20.600/${digits}`);
  });

  it('names the prefixes in texts that it does not see, and no other', () => {
    const texts = ['20.600/x', '100.102/0a1b2c3d4e5f60718293a4b5c6d7e8f9', 'hdl:1234/x', 'demo:7', ''];
    expect(all.unknownPrefixes(texts)).toEqual(['1234']);
    expect(view.unknownPrefixes(texts)).toEqual(['20.600', '1234']);
  });
});
