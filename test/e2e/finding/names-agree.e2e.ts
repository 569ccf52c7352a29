import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { useService } from '../harness/service.js';

type Headers = Record<string, string>;

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const ADMIN: Headers = { authorization: `Bearer ${ADMIN_KEY}` };
const RESOLVER = { scheme: 'https', authority: 'pid.example.edu', firstSegment: 'hdl' };
const HIDDEN_RESOLVER = { scheme: 'https', authority: 'hidden.example.edu' };

/** What is here, and whether a key for 7 and those sees it; 778 and 11858 are not here. */
const AUTHORITIES = [
  [{ namingAuthority: '7' }, true],
  [{ namingAuthority: '777', profile: 'handle' }, true],
  [{ namingAuthority: '20', profile: 'handle', caseInsensitive: true }, true],
  [{ namingAuthority: '30', resolver: RESOLVER }, true],
  [{ namingAuthority: 'Ark', profile: 'handle', resolver: RESOLVER }, true],
  [{ namingAuthority: '50', profile: 'handle', resolver: HIDDEN_RESOLVER }, false],
  [{ namingAuthority: '60' }, false],
] as const;

const service = useService({
  ...{ ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY, PUBLIC_READ: 'false', NAMING_AUTHORITIES: '100.102' },
  INTERFACES: 'api,resolver',
});

let member: Headers;

beforeAll(async () => {
  for (const [settings] of AUTHORITIES) {
    expect((await service.client.post('/naming-authorities', settings, ADMIN)).status).toBe(201);
  }
  const namingAuthorities = AUTHORITIES.flatMap(([{ namingAuthority }, isSeen]) =>
    isSeen ? [{ namingAuthority }] : [],
  );
  const scopes = ['read', 'mint', 'register', 'curate'];
  const made = await service.client.post('/api-keys', { client: 'member', scopes, namingAuthorities }, ADMIN);
  expect(made.status).toBe(201);
  member = { authorization: `Bearer ${made.body.secret}` };
});

const mint = (fields: object, key = ADMIN) =>
  service.client.post('/identifiers', { namingAuthority: '7', ...fields }, key);
const get = (text: string, key = ADMIN) => service.client.get(`/identifiers/${encodeURIComponent(text)}`, key);
const normalized = async (items: object[], key = ADMIN) =>
  (await service.client.post('/normalize', { items }, key)).body.items;
const looked = async (items: string[], key = ADMIN) =>
  (await service.client.post('/identifiers/lookup', { items }, key)).body.items;

/** The status of a page of the resolver. */
const resolve = async (prefix: string, name: string, headers: Headers): Promise<number> =>
  (await fetch(`${service.server.url}/${prefix}/${encodeURIComponent(name)}?noredirect`, { headers })).status;

let count = 0;
/** 32 hexadecimal digits with letters, in lower case, that no other test has. */
const digits = () => (++count).toString(16).padStart(8, '0') + 'cafe4afe8afe'.repeat(2);
const hyphenated = (text: string) => text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

describe('32 hexadecimal digits', () => {
  it('CID-02: are a local name with its letters under a visible naming authority of the profile "handle"', async () => {
    const name = digits();
    const { body } = await mint({ namingAuthority: '777', localName: name });
    const texts = [`777/${name}`, `hdl:777/${name}`, `info:hdl/777/${name}`, `https://hdl.handle.net/777/${name}`];
    const results = await normalized([
      ...texts.map((input) => ({ input })),
      { input: `hdl:777/${name}`, kind: 'hdl-uri' },
    ]);
    for (const { uris, repairs } of results) {
      expect([uris, repairs]).toEqual([body.uris, []]);
      expect((await get(uris.cordraPath)).body.identifier).toBe(`777/${name}`);
    }
    expect((await looked([texts[1]!]))[0]).toMatchObject({ outcome: 'found', canonical: `hdl:777/${name}` });
    const described = await mint({ metadataId: texts[0] });
    expect([described.status, described.body.metadataId]).toEqual([201, `hdl:777/${name}`]);
    for (const text of texts) {
      const taken = await mint({ alternateIds: [text] });
      expect([text, taken.status, taken.body.code]).toEqual([text, 409, 'ALTERNATE_ID_TAKEN']);
    }
    const free = digits();
    const named = await mint({ alternateIds: [`777/${free}`] });
    expect([named.status, named.body.alternateIds]).toEqual([201, [`hdl:777/${free}`]]);
    const version = await mint({ previousVersion: texts[1] });
    expect(version.body.previousVersion).toBe(`hdl:777/${name}`);

    const other = await mint({ namingAuthority: '777', localName: name.toUpperCase() });
    expect([other.body.describes, other.body.newerVersions]).toEqual([[], []]);
    const [lower, upper] = [(await get(texts[0]!)).body, (await get(`777/${name.toUpperCase()}`)).body];
    expect([lower.describes, lower.newerVersions]).toEqual([[described.body.identifier], [version.body.identifier]]);
    expect([upper.describes, upper.newerVersions]).toEqual([[], []]);
    const results2 = await looked([`777/${name.toUpperCase()}`]);
    expect(results2[0]).toMatchObject({ identifier: `777/${name.toUpperCase()}`, others: [] });
    const list = await service.client.get(`/identifiers?metadataId=777/${name.toUpperCase()}`, ADMIN);
    expect(list.body.items).toEqual([]);
  });

  it('CID-14: are a CORDRA identifier under another prefix in /normalize and metadata IDs, unless `syntax` says otherwise', async () => {
    const name = digits();
    const input = `hdl:778/${name}`;
    const results = await normalized([
      { input },
      { input, context: { syntax: 'generic' } },
      { input: `hdl:777/${name}`, context: { syntax: 'cordra' } },
    ]);
    expect(results.map((item: any) => item.normalized)).toEqual([
      `hdl:778/${name.toUpperCase()}`,
      input,
      `hdl:777/${name.toUpperCase()}`,
    ]);
    expect((await mint({ metadataId: input })).body.metadataId).toBe(`hdl:778/${name.toUpperCase()}`);
  });

  it.each(['11858', '50', '60'])(
    'keep their letters in an alternate under %s, which the key does not see',
    async (prefix) => {
      const name = digits();
      const minted = await mint({ alternateIds: [`${prefix}/${name}`] }, member);
      expect([minted.status, minted.body.alternateIds]).toEqual([201, [`hdl:${prefix}/${name}`]]);
      for (const text of [`${prefix}/${name}`, `hdl:${prefix}/${name.toUpperCase()}`]) {
        expect((await looked([text], member))[0]).toMatchObject({ identifier: minted.body.identifier });
        const again = await mint({ alternateIds: [text] }, member);
        expect([again.status, again.body.code]).toEqual([409, 'ALTERNATE_ID_TAKEN']);
      }
    },
  );
});

describe('a metadata ID under a naming authority that the key does not see', () => {
  it('is stored as for all, and has one identifier, whoever sends it', async () => {
    const name = digits();
    const hidden = await mint({ metadataId: `50/${name}` }, member);
    const repeats = [
      await mint({ metadataId: `hdl:50/${name}` }),
      await mint({ metadataId: `50/${name.toUpperCase()}` }, member),
      await mint({ metadataId: `info:hdl/50/${name}` }, member),
    ];
    expect(repeats.map(({ status, body }) => [status, body.identifier])).toEqual(
      repeats.map(() => [200, hidden.body.identifier]),
    );
    expect((await get(hidden.body.identifier)).body.metadataId).toBe(`hdl:50/${name}`);
    const other = await mint({ metadataId: `50/${name.toUpperCase()}` });
    expect([other.status, other.body.code]).toEqual([409, 'KEY_COLLISION']);
  });

  it('has one identifier with the hyphens of a UUID too', async () => {
    const name = digits();
    const hidden = await mint({ metadataId: `60/${hyphenated(name)}` }, member);
    expect(hidden.body.metadataId).toBe(`hdl:60/${hyphenated(name)}`);
    const seen = await mint({ metadataId: `60/${hyphenated(name)}` });
    expect([seen.status, seen.body.identifier]).toEqual([200, hidden.body.identifier]);
    expect((await mint({ metadataId: `60/${name}` })).body.identifier).toBe(hidden.body.identifier);
    const record = await service.client.post('/identifiers', { namingAuthority: '60', guid: name }, ADMIN);
    expect(record.body.describes).toEqual([hidden.body.identifier]);
  });

  it('and was named before its naming authority was created, is found afterwards', async () => {
    const name = digits();
    const { body } = await mint({ metadataId: `61/${name}`, alternateIds: [`61/${name}`] });
    expect((await service.client.post('/naming-authorities', { namingAuthority: '61' }, ADMIN)).status).toBe(201);
    for (const filter of ['metadataId', 'alternateId']) {
      const { items } = (await service.client.get(`/identifiers?${filter}=61/${name}`, ADMIN)).body;
      expect(items.map((each: any) => each.identifier)).toEqual([body.identifier]);
    }
    expect((await mint({ metadataId: `61/${hyphenated(name)}` })).body.identifier).toBe(body.identifier);
  });
});

describe('CID-10: under a naming authority of ours with the profile "cordra"', () => {
  it.each([
    ['31 digits', 'hdl:30/0c4ae1d3b9f24c7e9a1b2c3d4e5f607', 38],
    ['a digit that is none', '30/0c4ae1d3b9f24c7e9a1b2c3d4e5f607x', 34],
    ['another text', 'hdl:30/report-7', 7],
  ])('%s is no metadata ID, no alternate and no previous version', async (_, text, offset) => {
    for (const fields of [{ metadataId: text }, { alternateIds: [text] }, { previousVersion: text }]) {
      const rejected = await mint(fields, member);
      expect([rejected.status, rejected.body.code]).toEqual([400, 'INVALID_GUID']);
      expect(rejected.body.errors[0]).toMatchObject({ offset, rule: 'CID-10' });
    }
    expect(await normalized([{ input: text }])).toMatchObject([
      { valid: false, error: { code: 'INVALID_GUID', offset } },
    ]);
    expect((await get(text)).body.code).toBe('INVALID_GUID');
  });

  it('a GUID with the hyphens of a UUID is the registered one, and the repair is told', async () => {
    const name = digits();
    const record = await mint({ namingAuthority: '30', guid: name });
    const text = `hdl:30/${hyphenated(name)}`;
    const object = await mint({ metadataId: text }, member);
    expect([object.status, object.body.metadataId]).toEqual([201, `hdl:30/${name.toUpperCase()}`]);
    expect((await get(record.body.identifier)).body.describes).toEqual([object.body.identifier]);
    expect((await get(text)).body.identifier).toBe(record.body.identifier);
    const [item] = await normalized([{ input: text }]);
    expect(item).toMatchObject({
      normalized: `hdl:30/${name.toUpperCase()}`,
      repairs: ['GUID_UPPERCASED', 'HYPHENS_REMOVED'],
    });
    const resolved = await resolve('30', hyphenated(name), ADMIN);
    expect(resolved).toBe(200);
  });
});

describe('URI-36: /normalize reads and writes the HTTP form of a naming authority', () => {
  it('with its resolver, which only those know who see it', async () => {
    const { body } = await mint({ namingAuthority: 'Ark', localName: 'x.y/z' });
    const url = 'https://pid.example.edu/hdl/Ark/x.y%2Fz';
    expect(body.uris.resolver).toBe(url);
    for (const kind of [undefined, 'http-uri']) {
      const [own] = await normalized([{ input: url, kind }], member);
      expect(own).toMatchObject({ valid: true, normalized: url, uris: { resolver: url } });
    }
    const input = 'https://hidden.example.edu/50/x';
    for (const [kind, code] of [
      [undefined, 'AUTHORITY_MISMATCH'],
      ['http-uri', 'WRONG_SCHEME'],
    ]) {
      const [[seen], [hidden]] = [await normalized([{ input, kind }]), await normalized([{ input, kind }], member)];
      expect([seen.valid, hidden.error?.code]).toEqual([true, code]);
    }
    const context = { resolver: { scheme: 'http', authority: 'stated.example.org' } };
    const [stated] = await normalized([{ input: 'Ark/a', context }]);
    expect(stated.uris.resolver).toBe('http://stated.example.org/Ark/a');
  });

  it('HS-05: compares two texts by the case rule of their naming authority', async () => {
    const pair = (prefix: string, context: object = {}) => ({
      input: `${prefix}/a`,
      context: { equalTo: `${prefix}/A`, ...context },
    });
    const items = await normalized([pair('20'), pair('777'), pair('778'), pair('20', { caseInsensitive: false })]);
    expect(items.map(({ equal }: any) => equal)).toEqual([true, false, false, false]);
  });
});

describe('what the parts of the service make of one text', () => {
  const cases = fc.record({
    prefix: fc.constantFrom('777', '20', '30', 'Ark', '50', '60', '778'),
    shape: fc.constantFrom('lower', 'upper', 'hyphens', 'short', 'letters', 'LETTERS', 'slash'),
    spell: fc.constantFrom<(prefix: string, name: string) => string>(
      (prefix, name) => `${prefix}/${name}`,
      (prefix, name) => `hdl:${prefix}/${encodeURIComponent(name)}`,
      (prefix, name) => `info:hdl/${prefix}/${encodeURIComponent(name)}`,
      (prefix, name) => `https://hdl.handle.net/${prefix}/${encodeURIComponent(name)}`,
      (prefix, name) => `https://hdl.handle.net/hdl:${prefix}/${encodeURIComponent(name)}`,
    ),
  });
  const nameOf = (shape: string, of: string): string => {
    const names: Record<string, string> = {
      ...{ lower: of, upper: of.toUpperCase(), hyphens: hyphenated(of), short: of.slice(1) },
      ...{ letters: `n-${of}`, LETTERS: `N-${of}`, slash: `a/${of}?x` },
    };
    return names[shape]!;
  };

  it('agrees, for a key that sees all and for one that does not', async () => {
    for (const { prefix, shape, spell } of fc.sample(cases, { numRuns: 25, seed: 32 })) {
      const name = nameOf(shape, digits());
      const text = spell(prefix, name);
      await service.client.post('/identifiers', { namingAuthority: prefix, localName: name }, ADMIN);
      if (['lower', 'upper', 'hyphens'].includes(shape))
        await service.client.post('/identifiers', { namingAuthority: prefix, guid: name }, ADMIN);
      for (const key of [ADMIN, member]) {
        const [item] = await normalized([{ input: text }], key);
        const [found] = await looked([text], key);
        const got = await get(text, key);
        const metadata = await mint({ metadataId: text }, key);
        const alternate = await mint({ alternateIds: [text] }, key);
        const resolved = await resolve(prefix, name, key);
        if (!item.valid) {
          expect([text, item.error.code, found.outcome]).toEqual([text, 'INVALID_GUID', 'malformed']);
          for (const { status, body } of [got, metadata, alternate])
            expect([text, status, body.code]).toEqual([text, 400, 'INVALID_GUID']);
          expect(resolved).toBe(404);
          continue;
        }
        const identifier = got.status === 200 ? got.body.identifier : null;
        expect([text, [200, 404].includes(got.status)]).toEqual([text, true]);
        const named = found.matchedBy === 'identifier' ? found.identifier : null;
        expect([text, named]).toEqual([text, identifier]);
        expect([text, resolved === 200]).toEqual([text, identifier !== null]);
        if (identifier !== null) expect(item.uris).toEqual(got.body.uris);
        expect([text, [200, 201].includes(metadata.status)]).toEqual([text, true]);
        // An identifier that the key sees is no alternate of another object; where nobody sees one, the first key has it.
        const isTaken = identifier !== null || (prefix === '778' && key === member);
        expect([text, alternate.status, alternate.body.code]).toEqual(
          isTaken ? [text, 409, 'ALTERNATE_ID_TAKEN'] : [text, 201, undefined],
        );
        for (const [filter, count] of [
          ['metadataId', 1],
          ['alternateId', identifier === null ? 1 : 0],
        ] as const) {
          const list = await service.client.get(`/identifiers?${filter}=${encodeURIComponent(text)}`, key);
          expect([text, filter, list.body.items.length]).toEqual([text, filter, count]);
        }
        // Whoever sends it next, it is the same metadata ID. Under 60 only the other key cannot tell that it is malformed.
        const again = await mint({ metadataId: text });
        const expected = prefix === '60' && again.status === 400 ? undefined : metadata.body.identifier;
        expect([text, again.body.identifier]).toEqual([text, expected]);
      }
    }
  });
});
