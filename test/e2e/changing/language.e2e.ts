import { describe, expect, it } from '@jest/globals';
import { curationOf, pathOf } from '../harness/curation.js';
import { freshGuid, freshMetadataId } from '../harness/fresh-names.js';
import { useSharedService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const service = useSharedService();
const { minted, patch, history } = curationOf(service);

const NDJSON = { 'content-type': 'application/x-ndjson' };
const CSV = { 'content-type': 'text/csv' };
const TARGET = 'https://repo.example.org/objects/7';

const read = async (identifier: string) => (await service.client.get(pathOf(identifier))).body;
const text = async (path: string, accept: string) =>
  (await fetch(service.client.base + path, { headers: { accept } })).text();
const lines = (path: string, body: string, headers: Record<string, string>): Promise<any[]> =>
  sendLines(service.client.base + path, body, headers);

describe('the language of the page that the target leads to', () => {
  it.each([
    ['de', 'de'],
    ['EN-gb', 'en-GB'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['iw', 'iw'],
    ['I-KLINGON', 'i-klingon'],
  ])('is stored at the mint with the case of RFC 5646 2.1.1: %s', async (language, canonical) => {
    const { identifier, body } = await minted({ target: TARGET, language });
    expect([body.language, (await read(identifier)).language]).toEqual([canonical, canonical]);
    const [first] = (await history(identifier)) as any[];
    expect(first.patch[0].value).toMatchObject({ target: TARGET, language: canonical });
  });

  it('is null where none is given, and one of two spellings is a replay', async () => {
    expect((await minted({ target: TARGET })).body.language).toBeNull();
    const [metadataId, headers] = [freshMetadataId(), { 'idempotency-key': freshGuid() }];
    const mint = (language: string) => service.client.mint({ metadataId, target: TARGET, language }, headers);
    const [one, other, another] = [await mint('pt-BR'), await mint('PT-br'), await mint('pt-PT')];
    expect([one.status, other.body.identifier, other.headers.get('idempotency-replayed')]).toEqual([
      201,
      one.body.identifier,
      'true',
    ]);
    expect(another.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it.each(['', 'e', 'de_DE', '*', `de-${'x'.repeat(200)}`, 7, []])('is rejected: %j', async (language) => {
    const { status, body } = await service.client.mint({ target: TARGET, language });
    expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'INVALID_REQUEST', '/language']);
  });

  it('is changed and removed by PATCH, with its event', async () => {
    const one = await minted({ target: TARGET, language: 'de' });
    const changed = await patch(one.path, { language: 'FR' });
    expect([changed.body.language, changed.body.version, changed.body.target]).toEqual(['fr', 2, TARGET]);
    expect((await patch(one.path, { language: 'fr' })).body.version).toBe(2);
    const removed = await patch(one.path, { language: null });
    expect([removed.body.language, removed.body.version]).toEqual([null, 3]);
    const patches = (await history(one.identifier)).map((change) => change.patch);
    expect(patches.slice(1)).toEqual([
      [{ op: 'replace', path: '/language', value: 'fr' }],
      [{ op: 'replace', path: '/language', value: null }],
    ]);
  });

  it('is changed by a line of changes, in NDJSON and CSV, with its old value', async () => {
    const { identifier } = await minted({ target: TARGET, language: 'de' });
    const [first] = await lines('/identifiers/changes', JSON.stringify({ identifier, language: 'EN' }), NDJSON);
    expect([first.outcome, first.old]).toEqual(['changed', { language: 'de' }]);
    const [second] = await lines('/identifiers/changes', `identifier,language\n${identifier},sv\n`, CSV);
    expect([second.outcome, second.old]).toEqual(['changed', { language: 'en' }]);
    expect(await read(identifier)).toMatchObject({ language: 'sv', target: TARGET, version: 3 });
  });

  it('is compared by "match", and set by "update"', async () => {
    const metadataId = freshMetadataId();
    await minted({ metadataId, language: 'de' });
    const other = await service.client.mint({ metadataId, language: 'en' });
    expect([other.status, other.body.errors.map(({ pointer }: any) => pointer)]).toEqual([
      409,
      ['/metadataId', '/language'],
    ]);
    const updated = await service.client.mint({ metadataId, language: 'en', onExisting: 'update' });
    expect([updated.status, updated.body.language, updated.body.version]).toEqual([200, 'en', 2]);
  });

  it('is exported and imported, in NDJSON and CSV', async () => {
    const [prefix] = (await minted()).identifier.split('/');
    const [one, other] = [`${prefix}/${freshGuid()}`, `${prefix}/${freshGuid()}`];
    const imported = await lines(
      '/identifiers/import',
      JSON.stringify({ identifier: one, target: TARGET, language: 'DE-at' }),
      NDJSON,
    );
    expect(imported).toMatchObject([{ outcome: 'imported' }]);
    await lines('/identifiers/import', `identifier,target,language\n${other},${TARGET},de-AT\n`, CSV);
    for (const identifier of [one, other])
      expect(await read(identifier)).toMatchObject({ language: 'de-AT', target: TARGET });
    const filter = `targetPrefix=${encodeURIComponent(TARGET)}`;
    const exported = (await text(`/identifiers/export?${filter}`, 'application/x-ndjson')).trim().split('\n');
    const own = exported.map((line) => JSON.parse(line)).filter(({ identifier }) => [one, other].includes(identifier));
    expect(own.map(({ language }) => language)).toEqual(['de-AT', 'de-AT']);
    expect((await lines('/identifiers/import', JSON.stringify(own[0]), NDJSON))[0].outcome).toBe('unchanged');
    const csv = await text(`/identifiers/export?${filter}&columns=identifier,language`, 'text/csv');
    expect(csv).toContain(`"${one}","de-AT"`);
  });

  it('is the hreflang of the item of the link set and of the link of the page', async () => {
    const { identifier } = await minted({ target: TARGET, language: 'de' });
    const { linkset } = JSON.parse(await text(`/${identifier}`, 'application/linkset+json'));
    expect(linkset[0].item).toEqual([{ href: TARGET, hreflang: ['de'] }]);
    const page = await text(`/${identifier}?noredirect`, 'text/html');
    expect(page).toContain(`<a href="${TARGET}" rel="noreferrer" hreflang="de">`);
    const { identifier: silent } = await minted({ target: TARGET });
    expect(JSON.parse(await text(`/${silent}`, 'application/linkset+json')).linkset[0].item).toEqual([
      { href: TARGET },
    ]);
    expect(await text(`/${silent}?noredirect`, 'text/html')).not.toContain('hreflang');
  });
});
