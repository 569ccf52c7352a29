import { describe, expect, it } from '@jest/globals';
import { coded } from '../harness/client.js';
import { curationOf, pathOf } from '../harness/curation.js';
import { query, withoutTriggers } from '../harness/database.js';
import { freshGuid, freshMetadataId } from '../harness/fresh-names.js';
import { authoritiesOf, freshPrefix } from '../harness/naming-authorities.js';
import { NEXT_YEAR } from '../harness/reservations.js';
import { useService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const service = useService({ NAMING_AUTHORITIES: '100.102,100.103' });
const { minted, patch, step, history } = curationOf(service);
const { create, created } = authoritiesOf(service);

const BULK = '/identifiers/bulk?namingAuthority=100.102';
const NDJSON = { 'content-type': 'application/x-ndjson' };

const read = async (identifier: string) => (await service.client.get(pathOf(identifier))).body;
const text = async (path: string, accept: string) =>
  (await fetch(service.client.base + path, { headers: { accept } })).text();
const rejected = ['INVALID_PREDECESSOR', '/previousVersion'];
const rejection = ({ status, body }: { status: number; body: any }) => [status, body?.code, body?.errors?.[0]?.pointer];

describe('a new version', () => {
  it('names the previous one in any spelling, and both representations show the other', async () => {
    const first = await minted();
    const guid = first.identifier.split('/')[1]!;
    const spellings = [
      first.identifier,
      `hdl:100.102/${guid.toLowerCase()}`,
      `http://hdl.handle.net/100.102/${guid}?locatt=x`,
      `info:hdl/100.102/${guid}`,
    ];
    const newer: string[] = [];
    for (const previousVersion of spellings) {
      const { body } = await minted({ previousVersion });
      expect([previousVersion, body.previousVersion, body.newerVersions]).toEqual([
        previousVersion,
        `hdl:${first.identifier}`,
        [],
      ]);
      newer.push(body.identifier);
    }
    expect(await read(first.identifier)).toMatchObject({ previousVersion: null, newerVersions: newer });
    expect(await read(newer[0]!)).toMatchObject({ previousVersion: `hdl:${first.identifier}`, newerVersions: [] });
  });

  it('changes the entity tag of the previous one, but not its version and its history, and is no conflict with a change of it', async () => {
    const first = await minted();
    await minted({ previousVersion: first.identifier });
    const { headers, body } = await service.client.get(first.path);
    expect([body.version, body.updatedAt]).toEqual([1, first.body.updatedAt]);
    expect(headers.get('etag')).not.toBe(first.tag);
    expect(await history(first.identifier)).toHaveLength(1);
    expect((await patch(first.path, { target: 'https://a.example/' }, { 'if-match': first.tag })).status).toBe(200);
  });

  it('is linked in both directions, in the headers, the link set and the page (RFC 5829)', async () => {
    const first = await minted();
    const second = await minted({ previousVersion: first.identifier });
    for (const accept of ['application/json', 'text/html']) {
      const [older, newer] = await Promise.all(
        [first, second].map(async ({ path }) =>
          (await fetch(service.client.base + path, { method: 'HEAD', headers: { accept } })).headers.get('link'),
        ),
      );
      expect(older).toContain(`<${second.body.uris.resolver}>; rel="successor-version"`);
      expect(older).not.toContain('predecessor-version');
      expect(newer).toContain(`<${first.body.uris.resolver}>; rel="predecessor-version"`);
      expect(newer).not.toContain('successor-version');
    }
    const [older, newer] = await Promise.all(
      [first, second].map(async ({ path }) => JSON.parse(await text(path, 'application/linkset+json')).linkset[0]),
    );
    expect(older['successor-version']).toEqual([{ href: second.body.uris.resolver }]);
    expect(newer['predecessor-version']).toEqual([{ href: first.body.uris.resolver }]);
    // No resolver is set: the page names the other version, but offers no web address of it.
    const cell = '</th><td role="cell">';
    const pages = await Promise.all([first, second].map(({ path }) => text(path, 'text/html')));
    expect(pages[0]).toContain(`Newer versions${cell}<ul role="list"><li>${second.identifier}</li>`);
    expect(pages[1]).toContain(`Previous version${cell}<ul role="list"><li>hdl:${first.identifier}</li>`);
    for (const page of pages) expect(page).not.toContain('href="http');
  });

  it('may be of a Handle elsewhere or of a Fedora object, which are not looked up', async () => {
    for (const [previousVersion, stored, uri] of [
      ['hdl:77.7/a%20b', 'hdl:77.7/a%20b', 'http://hdl.handle.net/77.7/a%20b'],
      ['demo:7', 'info:fedora/demo:7', null],
    ] as const) {
      const { body, path } = await minted({ previousVersion });
      expect(body.previousVersion).toBe(stored);
      const link = (await service.client.get(path)).headers.get('link')!;
      expect(/<([^>]*)>; rel="predecessor-version"/.exec(link)?.[1] ?? null).toBe(uri);
    }
  });

  it('is made by batches, streams, registrations and activations', async () => {
    const previous = (await minted()).identifier;
    const previousVersion = `hdl:${previous}`;
    const batch = await service.client.post('/identifiers/batch', {
      namingAuthority: '100.102',
      items: [{ previousVersion }, {}, { previousVersion: `100.102/${freshGuid()}` }],
    });
    expect(batch.body.items.map((each: any) => each.record?.previousVersion ?? each.problem?.code ?? null)).toEqual([
      previousVersion,
      null,
      'INVALID_PREDECESSOR',
    ]);
    const lines = await sendLines(service.client.base + BULK, `${JSON.stringify({ previousVersion })}\n{}\n`, NDJSON);
    expect(lines.map(({ record }: any) => record.previousVersion)).toEqual([previousVersion, null]);
    const registered = await minted({ guid: freshGuid(), previousVersion });
    const reserved = await minted({ state: 'reserved', leaseUntil: NEXT_YEAR });
    const activated = await step(reserved.path, 'activate', { previousVersion });
    expect(activated.body).toMatchObject({ state: 'active', previousVersion });
    expect((await read(previous)).newerVersions).toEqual([
      batch.body.items[0].identifier,
      lines[0].identifier,
      registered.identifier,
      reserved.identifier,
    ]);
  });

  it('is set, changed and removed by PATCH, with its history', async () => {
    const [first, other, second] = [await minted(), await minted(), await minted()];
    for (const previousVersion of [`hdl:${first.identifier}`, `hdl:${other.identifier}`, null]) {
      const { status, body } = await patch(second.path, { previousVersion });
      expect([status, body.previousVersion]).toEqual([200, previousVersion]);
    }
    expect(coded(await patch(second.path, { previousVersion: null }))[0]).toBe(200);
    expect((await history(second.identifier)).map(({ patch }) => patch)).toEqual([
      [{ op: 'add', path: '', value: expect.objectContaining({ previousVersion: null }) }],
      ...[`hdl:${first.identifier}`, `hdl:${other.identifier}`, null].map((value) => [
        { op: 'replace', path: '/previousVersion', value },
      ]),
    ]);
    expect((await read(first.identifier)).newerVersions).toEqual([]);
  });

  it('keeps the previous version when it is withdrawn and reinstated', async () => {
    const first = await minted();
    const second = await minted({ previousVersion: first.identifier });
    await step(second.path, 'withdraw', { reason: 'Faulty.' });
    expect((await read(first.identifier)).newerVersions).toEqual([second.identifier]);
    expect(await text(second.path, 'text/html')).toContain('Previous version');
    expect((await step(second.path, 'reinstate')).body.previousVersion).toBe(`hdl:${first.identifier}`);
    await step(first.path, 'withdraw', { reason: 'Old.' });
    expect((await minted({ previousVersion: first.identifier })).body.previousVersion).toBe(`hdl:${first.identifier}`);
  });

  it('is replayed with its Idempotency-Key in any spelling; with another previous version the key is rejected', async () => {
    const [first, other] = [await minted(), await minted()];
    const key = { 'idempotency-key': freshGuid() };
    const { body } = await service.client.mint({ previousVersion: first.identifier }, key);
    const again = await service.client.mint({ previousVersion: `hdl:${first.identifier.toLowerCase()}` }, key);
    expect([again.status, again.body.identifier]).toEqual([201, body.identifier]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(coded(await service.client.mint({ previousVersion: other.identifier }, key))).toEqual([
      422,
      'IDEMPOTENCY_KEY_REUSED',
    ]);
  });

  it('is named in `ignored` where the metadata ID belongs to an identifier with another previous version', async () => {
    const [first, other, metadataId] = [await minted(), await minted(), freshMetadataId()];
    const { identifier } = await minted({ metadataId, previousVersion: first.identifier });
    const same = await service.client.mint({ metadataId, previousVersion: `hdl:${first.identifier}` });
    expect([same.status, same.body.identifier, same.body.ignored]).toEqual([200, identifier, undefined]);
    const differs = await service.client.mint({ metadataId, previousVersion: other.identifier, onExisting: 'return' });
    expect([differs.status, differs.body.previousVersion, differs.body.ignored]).toEqual([
      200,
      `hdl:${first.identifier}`,
      ['previousVersion'],
    ]);
  });
});

describe('a previous version is rejected', () => {
  it('where it is not registered, only reserved, or the identifier itself', async () => {
    const reserved = await minted({ state: 'reserved', leaseUntil: NEXT_YEAR });
    const guid = freshGuid();
    for (const fields of [
      { previousVersion: `100.103/${freshGuid()}` },
      { previousVersion: reserved.identifier },
      { guid, previousVersion: `hdl:100.102/${guid.toLowerCase()}` },
    ]) {
      expect(rejection(await service.client.mint(fields))).toEqual([422, ...rejected]);
    }
    const { path, identifier } = await minted();
    expect(rejection(await patch(path, { previousVersion: identifier }))).toEqual([422, ...rejected]);
    expect(rejection(await patch(path, { previousVersion: reserved.identifier }))).toEqual([422, ...rejected]);
  });

  it('where it replaces the identifier itself, also when both are changed at once', async () => {
    const [first, second] = [await minted(), await minted()];
    const answers = await Promise.all([
      patch(first.path, { previousVersion: second.identifier }),
      patch(second.path, { previousVersion: first.identifier }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
  });

  it('for a reserved identifier', async () => {
    const { identifier } = await minted();
    const fields = { state: 'reserved', leaseUntil: NEXT_YEAR, previousVersion: identifier };
    expect(rejection(await service.client.mint(fields))).toEqual([400, 'INVALID_REQUEST', '/previousVersion']);
    const reserved = await minted({ state: 'reserved', leaseUntil: NEXT_YEAR });
    expect(rejection(await patch(reserved.path, { previousVersion: identifier }))).toEqual([
      409,
      'WRONG_STATE',
      '/previousVersion',
    ]);
    expect((await patch(reserved.path, { previousVersion: null })).status).toBe(200);
  });

  it('where it is malformed or too long', async () => {
    expect(rejection(await service.client.mint({ previousVersion: '100.102/xyz' }))[0]).toBe(400);
    expect(rejection(await service.client.mint({ previousVersion: freshGuid() }))).toEqual([
      400,
      'MISSING_SEPARATOR',
      '/previousVersion',
    ]);
    expect(rejection(await service.client.mint({ previousVersion: `77.7/${'é'.repeat(8000)}` }))[0]).toBe(400);
    for (const previousVersion of [7, '', []]) {
      expect([previousVersion, (await service.client.mint({ previousVersion })).status]).toEqual([
        previousVersion,
        400,
      ]);
    }
    // In POST, null is as good as absent.
    const absent = await service.client.mint({ previousVersion: null });
    expect([absent.status, absent.body.previousVersion]).toEqual([201, null]);
  });
});

describe('the newer versions of an identifier', () => {
  it('are the first 20 in order of minting', async () => {
    const { identifier } = await minted();
    const items = Array.from({ length: 21 }, () => ({ previousVersion: identifier }));
    const { body } = await service.client.post('/identifiers/batch', { namingAuthority: '100.102', items });
    const all = body.items.map((each: any) => each.identifier);
    expect((await read(identifier)).newerVersions).toEqual(all.slice(0, 20));
  });

  it('are found without the case of letters where the naming authority ignores it', async () => {
    const folding = await created({ profile: 'handle', caseInsensitive: true });
    const exactly = await created({ profile: 'handle' });
    const register = async (namingAuthority: string, localName: string) =>
      (await service.client.post('/identifiers', { namingAuthority, localName })).body.identifier;
    expect(await register(folding, 'Report/É 1')).toBe(`${folding}/Report/É 1`);
    const folded = await minted({ previousVersion: `${folding}/REPORT/É 1` });
    expect(folded.body.previousVersion).toBe(`hdl:${folding}/Report/%C3%89%201`);
    const list = (await service.client.get(`/identifiers/${encodeURIComponent(`${folding}/report/É 1`)}`)).body;
    expect(list.newerVersions).toEqual([folded.identifier]);
    await register(exactly, 'a');
    await register(exactly, 'A');
    const exact = await minted({ previousVersion: `${exactly}/A` });
    const versions = async (name: string) =>
      (await service.client.get(`/identifiers/${exactly}%2F${name}`)).body.newerVersions;
    expect([await versions('a'), await versions('A')]).toEqual([[], [exact.identifier]]);
  });

  it('are those of the name itself, not of another one with the same key', async () => {
    const [first, other] = [await minted(), await minted()];
    const second = await minted({ previousVersion: first.identifier });
    // A collision of the digests, which no client can make.
    await query(
      withoutTriggers(service.database.url),
      `UPDATE identifier SET previous_version_key = (SELECT self_key('100.102', $2::uuid, NULL, false)) WHERE guid = $1::uuid`,
      [second.identifier.split('/')[1], other.identifier.split('/')[1]],
    );
    expect((await read(other.identifier)).newerVersions).toEqual([]);
  });

  it('are known to an identifier that is registered after them', async () => {
    const prefix = freshPrefix();
    const guid = freshGuid();
    const newer = await minted({ previousVersion: `${prefix}/${guid}` });
    await create({ namingAuthority: prefix });
    const alone = await service.client.post('/identifiers', { namingAuthority: prefix, guid });
    expect([alone.status, alone.body.newerVersions]).toEqual([201, [newer.identifier]]);
    expect(alone.headers.get('etag')).toBe(
      (await service.client.get(pathOf(alone.body.identifier))).headers.get('etag'),
    );
    const namingAuthority = freshPrefix();
    const guids = [freshGuid(), freshGuid(), freshGuid()];
    for (const each of guids) await minted({ previousVersion: `${namingAuthority}/${each}` });
    await create({ namingAuthority });
    const items = [
      { guid: guids[0] },
      { guid: guids[1], metadataId: freshMetadataId(), alternateIds: ['demo:1'] },
      { guid: guids[2] },
    ];
    const { body } = await service.client.post('/identifiers/batch', { namingAuthority, items });
    expect(body.items.map((each: any) => each.record.newerVersions.length)).toEqual([1, 1, 1]);
  });
});

describe('an export', () => {
  it.each(['application/x-ndjson', 'text/csv'])(
    'has the previous version, and an import restores it (%s)',
    async (type) => {
      const prefix = await created();
      const mint = async (fields: object = {}) =>
        (await service.client.post('/identifiers', { namingAuthority: prefix, ...fields })).body.identifier as string;
      const first = await mint();
      const second = await mint({ previousVersion: first });
      const third = await mint({ previousVersion: 'demo:7' });
      const exported = await text(`/identifiers/export?namingAuthority=${prefix}`, type);
      expect(exported.split('\n').find((line) => line.includes(second))).toContain(first);
      const unchanged = await sendLines(`${service.client.base}/identifiers/import`, exported, {
        'content-type': type,
      });
      expect(unchanged.map(({ outcome }: any) => outcome)).toEqual(['unchanged', 'unchanged', 'unchanged']);
      // The newer version first, under names that do not exist yet.
      const renamed = exported
        .replaceAll(first, `${prefix}/${freshGuid()}`)
        .replaceAll(second, `${prefix}/${freshGuid()}`);
      const lines = renamed.replaceAll(third, `${prefix}/${freshGuid()}`).trimEnd().split(/\r?\n/);
      const header = type === 'text/csv' ? [lines.shift()!] : [];
      const body = [...header, ...lines.toReversed()].join('\r\n');
      const imported = await sendLines(`${service.client.base}/identifiers/import`, body, { 'content-type': type });
      expect(imported.map(({ outcome }: any) => outcome)).toEqual(['imported', 'imported', 'imported']);
      const [copyOfThird, copyOfSecond, copyOfFirst] = imported.map(({ identifier }: any) => identifier as string);
      expect(await read(copyOfFirst!)).toMatchObject({ newerVersions: [copyOfSecond] });
      expect(await read(copyOfSecond!)).toMatchObject({ previousVersion: `hdl:${copyOfFirst}` });
      expect(await read(copyOfThird!)).toMatchObject({ previousVersion: 'info:fedora/demo:7' });
    },
  );
});

describe('a naming authority that is hidden', () => {
  const keyed = useService({
    ACCESS: 'keys',
    ADMIN_API_KEY: ADMIN_KEY,
    PUBLIC_READ: 'false',
    NAMING_AUTHORITIES: '7,8',
  });
  const admin = { authorization: `Bearer ${ADMIN_KEY}` };

  it('shows no newer version, and a previous version under it counts as not registered', async () => {
    const namingAuthorities = [{ namingAuthority: '7' }];
    const request = { client: 'stranger', scopes: ['read', 'mint', 'curate'], namingAuthorities };
    const stranger = { authorization: `Bearer ${(await keyed.client.post('/api-keys', request, admin)).body.secret}` };
    const mint = async (fields: object) => (await keyed.client.post('/identifiers', fields, admin)).body.identifier;
    const first = await mint({ namingAuthority: '7' });
    const hidden = await mint({ namingAuthority: '8', previousVersion: first });
    const shown = await mint({ namingAuthority: '7', previousVersion: first });
    const seen = await keyed.client.get(pathOf(first), stranger);
    expect(seen.body.newerVersions).toEqual([shown]);
    expect(seen.headers.get('link')).not.toContain(hidden);
    expect((await keyed.client.get(pathOf(first), admin)).body.newerVersions).toEqual([hidden, shown]);
    const ask = async (previousVersion: string) =>
      rejection(await keyed.client.post('/identifiers', { namingAuthority: '7', previousVersion }, stranger));
    expect([await ask(hidden), await ask(`8/${freshGuid()}`), await ask(`9/${freshGuid()}`)]).toEqual(
      Array.from({ length: 3 }, () => [422, ...rejected]),
    );
  });
});
