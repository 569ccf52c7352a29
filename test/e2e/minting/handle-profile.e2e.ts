import { beforeAll, describe, expect, it } from '@jest/globals';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();

/** A case-sensitive naming authority with its own resolver, a case-insensitive one, and one of letters. */
const [OWN, FOLDING, LETTERS] = [`${service.na}.500`, `${service.na}.600`, 'Opus'] as const;
const RESOLVER = { scheme: 'https', authority: 'resolve.example.org:8443', firstSegment: 'hdl' };

beforeAll(async () => {
  const create = async (namingAuthority: string, fields: object = {}) => {
    const answer = await service.client.post('/naming-authorities', { namingAuthority, ...fields });
    expect(answer.status).toBe(201);
  };
  await create(OWN, { profile: 'handle', resolver: RESOLVER });
  await create(FOLDING, { profile: 'handle', caseInsensitive: true });
  await create(LETTERS, { profile: 'handle' });
});

const register = (namingAuthority: string, localName: string, fields: object = {}) =>
  service.client.mint({ namingAuthority, localName, ...fields });
const get = (spelling: string) => service.client.get(`/identifiers/${encodeURIComponent(spelling)}`);
/** Every byte escaped. */
const escaped = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

const HEX = '0a1b2c3d4e5f60718293a4b5c6d7e8f9';

/**
 * Local names, and their notations by R-08, R-09 and RFC 3986: as a segment, as a path, and in the Handle URI scheme.
 */
const LOCAL_NAMES: [localName: string, segment: string, path: string, scheme: string][] = [
  ['report-2026', 'report-2026', 'report-2026', 'report-2026'],
  ['a/b/c', 'a%2Fb%2Fc', 'a/b/c', 'a/b/c'],
  ['/leading', '%2Fleading', '/leading', '/leading'],
  ['trailing/', 'trailing%2F', 'trailing/', 'trailing/'],
  ['what?', 'what%3F', 'what%3F', 'what%3F'],
  ['a#b', 'a%23b', 'a%23b', 'a%23b'],
  ['100%', '100%25', '100%25', '100%25'],
  ['%41', '%2541', '%2541', '%2541'],
  ['two words', 'two%20words', 'two%20words', 'two%20words'],
  [' spaces ', '%20spaces%20', '%20spaces%20', '%20spaces%20'],
  ['Größe', 'Gr%C3%B6%C3%9Fe', 'Gr%C3%B6%C3%9Fe', 'Gr%C3%B6%C3%9Fe'],
  ['識別子', '%E8%AD%98%E5%88%A5%E5%AD%90', '%E8%AD%98%E5%88%A5%E5%AD%90', '%E8%AD%98%E5%88%A5%E5%AD%90'],
  ['a:b@c', 'a:b@c', 'a:b@c', 'a%3Ab%40c'],
  ['...', '...', '...', '...'],
  ['a/../b', 'a%2F..%2Fb', 'a/../b', 'a/../b'],
  ['uris', 'uris', 'uris', 'uris'],
  [
    '"<>[]\\^`{|}',
    '%22%3C%3E%5B%5D%5C%5E%60%7B%7C%7D',
    '%22%3C%3E%5B%5D%5C%5E%60%7B%7C%7D',
    '%22%3C%3E%5B%5D%5C%5E%60%7B%7C%7D',
  ],
  [HEX, HEX, HEX, HEX],
  [HEX.toUpperCase(), HEX.toUpperCase(), HEX.toUpperCase(), HEX.toUpperCase()],
  [`${HEX}?x`, `${HEX}%3Fx`, `${HEX}%3Fx`, `${HEX}%3Fx`],
  [`${HEX}#x`, `${HEX}%23x`, `${HEX}%23x`, `${HEX}%23x`],
];

describe('CID-02: a local name of any kind', () => {
  it.each(LOCAL_NAMES)(
    '%j is stored as written, rendered by R-08, and found by every form',
    async (localName, segment, path, scheme) => {
      const minted = await register(OWN, localName);
      expect(minted.status).toBe(201);
      const identifier = `${OWN}/${localName}`;
      expect(minted.body).toMatchObject({ identifier, namingAuthority: OWN, localName, guid: null, state: 'active' });
      expect(minted.body.uris).toEqual({
        cordraPath: `hdl:${OWN}/${segment}`,
        cordraHost: `hdl://${OWN}/${segment}`,
        resolver: `https://resolve.example.org:8443/hdl/${OWN}/${segment}`,
        handleUri: `hdl:${OWN}/${scheme}`,
        infoHdl: `info:hdl/${OWN}/${path}`,
        fedoraUri: null,
      });
      const byLocation = await service.client.get(minted.headers.get('location') ?? '');
      expect([byLocation.status, byLocation.body.identifier]).toEqual([200, identifier]);
      const found = [
        `hdl:${OWN}/${segment}`,
        `HDL:${OWN}/${escaped(localName)}`,
        `hdl://${OWN}/${segment}`,
        `hdl:${OWN}/${scheme}`,
        `info:hdl/${OWN}/${path}`,
        `info:hdl/${OWN}/${escaped(localName)}`,
        `https://resolve.example.org:8443/hdl/${OWN}/${segment}`,
        `http://resolve.example.org:8443/hdl/${OWN}/${segment}`,
        `resolve.example.org:8443/hdl/${OWN}/${segment}`,
        `http://hdl.handle.net/${OWN}/${segment}`,
        `https://doi.org/${OWN}/${segment}`,
        // White space around a native text is trimmed (R-28); such a name must be a URI.
        ...(localName === localName.trim() ? [identifier] : []),
      ];
      for (const spelling of found) {
        const answer = await get(spelling);
        expect([spelling, answer.status, answer.body.identifier]).toEqual([spelling, 200, identifier]);
      }
      const uris = await service.client.get(`/identifiers/${encodeURIComponent(`hdl:${OWN}/${segment}`)}/uris`);
      expect(uris.body).toEqual(minted.body.uris);
      const again = await register(OWN, localName);
      expect([again.status, again.body.code]).toEqual([409, 'IDENTIFIER_TAKEN']);
      const existing = await service.client.get(again.body.existing);
      expect(existing.body.identifier).toBe(identifier);
    },
  );

  it('HS-04: 32 hexadecimal digits in other case are another Handle', async () => {
    const [lower, upper] = [await get(`${OWN}/${HEX}`), await get(`${OWN}/${HEX.toUpperCase()}`)];
    expect(lower.body.localName).toBe(HEX);
    expect(upper.body.localName).toBe(HEX.toUpperCase());
    const mixed = await get(`${OWN}/${HEX.slice(0, 16)}${HEX.slice(16).toUpperCase()}`);
    expect([mixed.status, mixed.body.code]).toEqual([404, 'IDENTIFIER_NOT_FOUND']);
  });

  it.each(['.', '..'])('R-34: %j has no HTTP form, and is found by the others', async (localName) => {
    const minted = await register(OWN, localName);
    expect(minted.body.uris).toMatchObject({ resolver: null, cordraPath: `hdl:${OWN}/${localName}` });
    for (const spelling of [`hdl:${OWN}/${localName}`, `info:hdl/${OWN}/${localName}`, `${OWN}/${localName}`]) {
      expect((await get(spelling)).body.identifier).toBe(`${OWN}/${localName}`);
    }
    expect((await service.client.get(minted.headers.get('location') ?? '')).status).toBe(200);
    expect((await get(`https://doi.org/${OWN}/${escaped(localName)}`)).status).toBe(400);
  });

  it('is served after a raw slash, percent-encoded', async () => {
    await register(OWN, 'raw (1) é');
    const answer = await service.client.get(`/identifiers/${OWN}/raw%20(1)%20%C3%A9`);
    expect(answer.body.identifier).toBe(`${OWN}/raw (1) é`);
  });

  it('accepts 8192 bytes, each escaped twice in a path, and sends no header that clients cannot read', async () => {
    const localName = 'é'.repeat(4096);
    const minted = await register(OWN, localName);
    expect([minted.status, minted.body.localName]).toEqual([201, localName]);
    expect(minted.headers.get('location')).toBeNull();
    for (const spelling of [minted.body.identifier, minted.body.uris.handleUri, minted.body.uris.resolver]) {
      expect((await get(spelling)).body.localName).toBe(localName);
    }
    const again = await register(OWN, localName);
    expect([again.status, again.headers.get('link')]).toEqual([409, null]);
    expect((await service.client.get(again.body.existing)).status).toBe(200);
  });

  it('two Handles that NFC would merge are different (R-20)', async () => {
    const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];
    expect([(await register(OWN, composed)).status, (await register(OWN, decomposed)).status]).toEqual([201, 201]);
    expect((await get(`${OWN}/${decomposed}`)).body.localName).toBe(decomposed);
  });

  const rejections: [string, object, number, string, string][] = [
    ['R-11: an empty local name', { localName: '' }, 400, 'EMPTY_LOCAL_NAME', '/localName'],
    ['8193 bytes', { localName: `x${'é'.repeat(4096)}` }, 400, 'INVALID_REQUEST', '/localName'],
    ['8193 characters', { localName: 'x'.repeat(8193) }, 400, 'INVALID_REQUEST', '/localName'],
    ['U+0000', { localName: 'a\0' }, 400, 'INVALID_CHARACTER', '/localName'],
    ['R-29: U+202E', { localName: 'a\u202e' }, 400, 'INVALID_CHARACTER', '/localName'],
    ['a lone surrogate', { localName: 'a\ud800' }, 400, 'INVALID_CHARACTER', '/localName'],
    ['R-12: beyond UCS-2', { localName: 'a😀' }, 400, 'NOT_UCS2', '/localName'],
    ['a GUID', { guid: HEX }, 422, 'WRONG_PROFILE', '/guid'],
    ['both', { guid: HEX, localName: HEX }, 400, 'INVALID_REQUEST', '/localName'],
  ];
  it.each(rejections)('rejects %s', async (_, fields, status, code, pointer) => {
    const answer = await service.client.mint({ namingAuthority: OWN, ...fields });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.body.errors[0].pointer).toBe(pointer);
  });

  it('CID-10: is rejected under a naming authority of CORDRA', async () => {
    const answer = await service.client.mint({ localName: 'report' });
    expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([
      422,
      'WRONG_PROFILE',
      '/localName',
    ]);
  });

  it('CID-10: is rejected in a batch that locks names, as a GUID is under the profile "handle"', async () => {
    const items = [
      { localName: 'report/2026-11' },
      { namingAuthority: OWN, guid: HEX },
      { metadataId: 'info:fedora/demo:of-an-update', onExisting: 'update' },
    ];
    const body = { namingAuthority: service.na, items };
    expect((await service.client.mint({ metadataId: 'info:fedora/demo:of-an-update' })).status).toBe(201);
    const answer = await service.client.post('/identifiers/batch?mode=perItem', body);
    expect(answer.status).toBe(200);
    expect(answer.body.items.map((item: any) => [item.status, item.problem?.code])).toEqual([
      [422, 'WRONG_PROFILE'],
      [422, 'WRONG_PROFILE'],
      [200, undefined],
    ]);
  });
});

describe('R-15: the case rule of a naming authority', () => {
  it('"x/y" is rejected when "X/Y" exists, where there is no case', async () => {
    const first = await register(FOLDING, 'X/Y');
    const again = await register(FOLDING, 'x/y');
    expect([again.status, again.body.code, again.body.existing]).toEqual([
      409,
      'IDENTIFIER_TAKEN',
      first.headers.get('location'),
    ]);
    for (const spelling of ['x/y', 'X/Y', 'x/Y']) {
      expect((await get(`${FOLDING}/${spelling}`)).body.identifier).toBe(`${FOLDING}/X/Y`);
    }
  });

  it('"x/y" is free when "X/Y" exists, where there is case', async () => {
    const [upper, lower] = [await register(OWN, 'X/Y'), await register(OWN, 'x/y')];
    expect([upper.status, lower.status]).toEqual([201, 201]);
    expect((await get(`${OWN}/x/y`)).body.localName).toBe('x/y');
  });

  it('folds 32 hexadecimal digits like any text, and stores them as written', async () => {
    expect((await register(FOLDING, HEX)).body.localName).toBe(HEX);
    expect((await register(FOLDING, HEX.toUpperCase())).body.code).toBe('IDENTIFIER_TAKEN');
    expect((await get(`${FOLDING}/${HEX.toUpperCase()}`)).body.localName).toBe(HEX);
  });

  it.each([
    ['ß', 'SS'],
    ['ﬀ', 'FF'],
    ['é', 'É'],
    ['\u212a', 'k'],
    ['İ', 'i'],
    ['ıı', 'II'],
    ['ſ', 'S'],
  ])('folds ASCII alone: %s and %s are two', async (one, two) => {
    expect((await register(FOLDING, `fold-${one}`)).status).toBe(201);
    expect((await register(FOLDING, `fold-${two}`)).status).toBe(201);
    expect((await get(`${FOLDING}/FOLD-${one}`)).body.localName).toBe(`fold-${one}`);
  });

  it('a prefix is case-insensitive, in a mint and in any form', async () => {
    const minted = await register('OPUS', 'one');
    expect([minted.status, minted.body.identifier]).toEqual([201, `${LETTERS}/one`]);
    expect((await register('opus', 'one')).body.code).toBe('IDENTIFIER_TAKEN');
    for (const spelling of ['opus/one', 'hdl:oPUS/one', 'info:hdl/OPUS/one', 'https://hdl.handle.net/opus/one']) {
      expect((await get(spelling)).body.identifier).toBe(`${LETTERS}/one`);
    }
    expect((await service.client.get('/identifiers?namingAuthority=oPus')).body.items).toHaveLength(1);
  });

  it('one Idempotency-Key is one request, whatever the case of the prefix', async () => {
    const key = { 'idempotency-key': `prefix-case-${service.na}` };
    const first = await service.client.mint({ namingAuthority: 'Opus' }, key);
    const again = await service.client.mint({ namingAuthority: 'OPUS' }, key);
    expect([again.status, again.body.identifier]).toEqual([201, first.body.identifier]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('twenty concurrent registrations of case variants create one', async () => {
    const names = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'RACE/one' : 'race/ONE'));
    const answers = await Promise.all(names.map((name) => register(FOLDING, name)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  });

  it('a known metadata ID returns the same identifier in another case, and rejects another one', async () => {
    const metadataId = 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA';
    const first = await register(FOLDING, 'Known', { metadataId });
    const again = await register(FOLDING, 'kNOWN', { metadataId });
    expect([again.status, again.body.identifier]).toEqual([200, first.body.identifier]);
    expect((await register(FOLDING, 'other', { metadataId })).body.code).toBe('METADATA_ID_TAKEN');
  });
});

describe('minting under the profile "handle"', () => {
  it('mints 32 hexadecimal digits that are no GUID', async () => {
    const { status, body } = await service.client.mint({ namingAuthority: OWN });
    expect([status, body.guid]).toEqual([201, null]);
    expect(body.localName).toMatch(/^[0-9A-F]{12}4[0-9A-F]{3}[89AB][0-9A-F]{15}$/);
    expect((await get(body.identifier)).body.identifier).toBe(body.identifier);
    expect((await get(`${OWN}/${body.localName.toLowerCase()}`)).status).toBe(404);
  });

  it('CID-24: mints the metadata record too, and each shows the other', async () => {
    const { status, body } = await register(OWN, 'object/é?', { mintMetadataId: true });
    expect(status).toBe(201);
    const { metadataRecord } = body;
    expect(metadataRecord).toMatchObject({ namingAuthority: OWN, guid: null, describes: [`${OWN}/object/é?`] });
    expect(body.metadataId).toBe(`hdl:${metadataRecord.identifier}`);
    expect((await get(body.metadataId)).body.describes).toEqual([`${OWN}/object/é?`]);
    expect(metadataRecord.uris.resolver).toBe(`https://resolve.example.org:8443/hdl/${metadataRecord.identifier}`);
  });

  it('shows the own resolver in a list', async () => {
    const { items } = (await service.client.get(`/identifiers?namingAuthority=${OWN}&limit=3`)).body;
    for (const { uris } of items)
      expect(uris.resolver).toMatch(new RegExp(`^https://resolve\\.example\\.org:8443/hdl/${OWN}/`));
  });

  it.each([
    [OWN, 'record/é', 'record/é', 'Record/é'],
    [FOLDING, 'Record/é', 'rECORD/é', 'record/É'],
    [LETTERS, HEX, HEX, HEX.toUpperCase()],
  ])('describes the objects that have it as metadata ID: %s/%s', async (prefix, localName, same, other) => {
    const record = (await register(prefix, localName)).body.identifier;
    const spelling = `info:hdl/${prefix.toLowerCase()}/${escaped(same)}`;
    const object = (await service.client.mint({ metadataId: spelling })).body.identifier;
    await service.client.mint({ metadataId: `${prefix}/${other}` });
    expect((await get(record)).body.describes).toEqual([object]);
    const found = await service.client.get(
      `/identifiers?metadataId=${encodeURIComponent(`${prefix.toUpperCase()}/${same}`)}`,
    );
    expect(found.body.items.map(({ identifier }: { identifier: string }) => identifier)).toEqual([object]);
  });

  it('an object that becomes a metadata record shows it in the response of its own mint', async () => {
    const object = (await service.client.mint({ metadataId: `hdl:${FOLDING}/LATER` })).body.identifier;
    expect((await register(FOLDING, 'later')).body.describes).toEqual([object]);
  });

  it('CID-24: rejects to be its own metadata ID, in any case where there is none', async () => {
    const same = await register(FOLDING, 'self', { metadataId: `${FOLDING}/SELF` });
    expect([same.status, same.body.code]).toEqual([422, 'METADATA_ID_IS_IDENTIFIER']);
    expect((await register(OWN, 'self', { metadataId: `${OWN}/SELF` })).status).toBe(201);
  });
});
