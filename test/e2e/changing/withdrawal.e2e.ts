import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { coded } from '../harness/client.js';
import { freshGuid, freshMetadataId, freshPid } from '../harness/fresh-names.js';
import { query as ask } from '../harness/database.js';
import { useSharedService } from '../harness/service.js';
import { NEXT_YEAR } from '../harness/reservations.js';

const service = useSharedService();

async function minted(fields: object = {}): Promise<{ identifier: string; path: string; tag: string }> {
  const { body, headers } = await service.client.mint(fields);
  return { identifier: body.identifier, path: `/identifiers/${body.identifier}`, tag: headers.get('etag')! };
}

const reserved = (fields: object = {}) => minted({ state: 'reserved', leaseUntil: NEXT_YEAR, ...fields });

const step = (path: string, name: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  service.client.post(`${path}/${name}`, body, headers);

const withdraw = (path: string, fields: object = {}) =>
  step(path, 'withdraw', { reason: 'Deposited twice.', ...fields });

/** A request without a body, as `curl -X POST` sends it. */
const bare = (path: string, name: string) => service.client.send('POST', `${path}/${name}`, {});

const query = <T extends pg.QueryResultRow>(sql: string, values?: unknown[]) =>
  ask<T>(service.database.url, sql, values);

async function kinds(identifier: string): Promise<string[]> {
  const rows = await query<{ kind: string }>(
    `SELECT c.kind FROM event c JOIN identifier i ON i.id = c.identifier_id
     WHERE i.guid = $1::uuid ORDER BY c.position, c.id`,
    [identifier.split('/')[1]],
  );
  return rows.map(({ kind }) => kind);
}

describe('a withdrawn identifier', () => {
  it('becomes a legal one without a reinstatement, and not the reverse', async () => {
    const { path, identifier } = await minted({ target: 'https://a.example.org/' });
    await withdraw(path, { reasonCode: 'error' });
    const { status, body } = await withdraw(path, { reasonCode: 'legal', reason: 'By law.' });
    expect([status, body.state, body.version, body.tombstone.reasonCode]).toEqual([200, 'withdrawn', 3, 'legal']);
    expect(await kinds(identifier)).toEqual(['minted', 'withdrawn', 'withdrawn']);
    expect((await service.client.get(path)).status).toBe(451);
    for (const reasonCode of ['legal', 'error', 'other']) {
      expect(coded(await withdraw(path, { reasonCode }))).toEqual([409, 'WRONG_STATE']);
    }
  });

  it('returns 410 in JSON with its tombstone and a link to the replacement', async () => {
    const [replacement, { path, identifier }] = [await minted(), await minted({ target: 'https://a.example.org/' })];
    const answer = await withdraw(path, { reasonCode: 'duplicate', replacedBy: replacement.identifier });
    const tombstone = {
      reasonCode: 'duplicate',
      reason: 'Deposited twice.',
      replacedBy: `hdl:${replacement.identifier}`,
      withdrawnAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    };
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ identifier, state: 'withdrawn', version: 2, tombstone });
    const gone = await service.client.get(path);
    expect(coded(gone)).toEqual([410, 'IDENTIFIER_WITHDRAWN']);
    expect(gone.body).toMatchObject({ identifier, tombstone });
    expect(gone.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const link = /^<(\S+)>; rel="http:\/\/purl\.org\/dc\/terms\/isReplacedBy"$/.exec(
      gone.headers.get('link') ?? '',
    )?.[1];
    expect((await service.client.get(link!)).body.identifier).toBe(replacement.identifier);
  });

  it.each<[string, object]>([
    ['other', {}],
    ['other', { reasonCode: null }],
    ...['error', 'legal', 'other'].map((reasonCode): [string, object] => [reasonCode, { reasonCode }]),
  ])('has the reason code "%s" for %j, also in its history and its event', async (reasonCode, fields) => {
    const { path, identifier } = await minted();
    expect((await withdraw(path, fields)).body.tombstone.reasonCode).toBe(reasonCode);
    const tombstone = expect.objectContaining({ path: '/tombstone', value: expect.objectContaining({ reasonCode }) });
    const { items } = (await service.client.get(`${path}/history`)).body;
    expect(items[1].patch).toContainEqual(tombstone);
    const rows = await query<{ patch: string }>(
      `SELECT c.patch FROM event c JOIN identifier i ON i.id = c.identifier_id WHERE i.guid = $1::uuid AND c.version = 2`,
      [identifier.split('/')[1]],
    );
    expect(JSON.parse(rows[0]!.patch)).toContainEqual(tombstone);
  });

  it('returns 410 for HEAD too, without a body, and its URIs are still rendered', async () => {
    const [replacement, { path }] = [await minted(), await minted()];
    await withdraw(path, { replacedBy: replacement.identifier });
    const head = await service.client.send('HEAD', path, {});
    expect([head.status, head.text]).toEqual([410, '']);
    expect(head.headers.get('link')).toBe((await service.client.get(path)).headers.get('link'));
    expect((await service.client.get(`${path}/uris`)).status).toBe(200);
  });

  it('is listed as withdrawn, keeps its metadata ID, and its GUID is never minted or registered again', async () => {
    const metadataId = freshMetadataId();
    const { path, identifier } = await minted({ metadataId });
    await withdraw(path);
    const { body } = await service.client.get(`/identifiers?metadataId=${metadataId}&state=withdrawn`);
    expect(body.items).toMatchObject([{ identifier, metadataId }]);
    expect((await service.client.get(`/identifiers?metadataId=${metadataId}&state=active`)).body.items).toEqual([]);
    const again = await service.client.mint({ guid: identifier.split('/')[1] });
    expect([...coded(again), again.body.existing]).toEqual([409, 'GUID_TAKEN', path]);
    expect(coded(await service.client.mint({ metadataId, onExisting: 'reject' }))).toEqual([409, 'METADATA_ID_TAKEN']);
  });

  it('can only be reinstated: other changes are rejected with 409, with any If-Match', async () => {
    const { path } = await minted();
    await withdraw(path);
    const patch = await service.client.send(
      'PATCH',
      path,
      { 'content-type': 'application/json', 'if-match': '"stale"' },
      '{"target":"https://a.example.org/"}',
    );
    for (const answer of [patch, await withdraw(path), await bare(path, 'activate')]) {
      expect(coded(answer)).toEqual([409, 'WRONG_STATE']);
    }
  });

  it('is active with all its attributes and without its tombstone after a reinstatement', async () => {
    const fields = { metadataId: freshMetadataId(), target: 'https://a.example.org/', alternateIds: [freshPid()] };
    const { path, identifier } = await minted(fields);
    await withdraw(path);
    const back = await bare(path, 'reinstate');
    expect(back.status).toBe(200);
    expect(back.body).toMatchObject({ ...fields, identifier, state: 'active', tombstone: null, version: 3 });
    const found = await service.client.get(path);
    expect([found.status, found.headers.get('etag')]).toEqual([200, back.headers.get('etag')]);
    expect(await kinds(identifier)).toEqual(['minted', 'withdrawn', 'reinstated']);
    expect(coded(await bare(path, 'reinstate'))).toEqual([409, 'WRONG_STATE']);
  });

  it('If-Match is optional for every step, and is enforced if it is sent', async () => {
    const { path, tag } = await minted();
    const stale = { 'if-match': '"stale"' };
    expect(coded(await step(path, 'withdraw', { reason: 'x' }, stale))).toEqual([412, 'PRECONDITION_FAILED']);
    const withdrawn = await step(path, 'withdraw', { reason: 'x' }, { 'if-match': tag });
    expect(withdrawn.status).toBe(200);
    expect(coded(await step(path, 'reinstate', {}, { 'if-match': tag }))).toEqual([412, 'PRECONDITION_FAILED']);
    const now = { 'if-match': withdrawn.headers.get('etag')! };
    expect((await step(path, 'reinstate', {}, now)).status).toBe(200);
    const held = await reserved();
    expect(coded(await step(held.path, 'activate', {}, stale))).toEqual([412, 'PRECONDITION_FAILED']);
    expect((await step(held.path, 'activate', {}, { 'if-match': held.tag })).status).toBe(200);
  });

  it.each(['[]', '[{}]', '{"foo":1}', '0', '""'])('is not reinstated by a request with the body %s', async (body) => {
    const { path } = await minted();
    await withdraw(path);
    const headers = { 'content-type': 'application/json' };
    const rejected = await service.client.send('POST', `${path}/reinstate`, headers, body);
    expect([...coded(rejected), rejected.body.errors]).toEqual([
      400,
      'INVALID_REQUEST',
      [{ pointer: '', detail: 'expected no body, or {}' }],
    ]);
  });

  it('a repeated withdrawal with one key returns the first result, even after a reinstatement', async () => {
    const { path } = await minted();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await step(path, 'withdraw', { reason: 'x' }, headers);
    await bare(path, 'reinstate');
    const replay = await step(path, 'withdraw', { reason: 'x' }, headers);
    expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(replay.body).toEqual(first.body);
    expect((await service.client.get(path)).status).toBe(200);
  });
});

describe('the replacement of a withdrawn identifier', () => {
  it.each([
    ['cordraPath', (uris: Record<string, string>) => uris.cordraPath],
    ['cordraHost', (uris: Record<string, string>) => uris.cordraHost],
    ['http', (uris: Record<string, string>) => uris.resolver],
    ['small letters with a query', (uris: Record<string, string>) => `${uris.cordraPath!.toLowerCase()}?x`],
  ])('is accepted in any form and stored as hdl:NA/GUID: %s', async (_, spellingOf) => {
    const { body: replacement } = await service.client.mint();
    const { path } = await minted();
    const answer = await withdraw(path, { replacedBy: spellingOf(replacement.uris) });
    expect(answer.body.tombstone.replacedBy).toBe(`hdl:${replacement.identifier}`);
  });

  it.each([
    ['hdl:10.1000/182', 'hdl:10.1000/182', '/identifiers/10.1000%2F182'],
    ['https://doi.org/10.1000/182', 'hdl:10.1000/182', '/identifiers/10.1000%2F182'],
    [`hdl:77.7/${'ab'.repeat(16)}`, `hdl:77.7/${'AB'.repeat(16)}`, `/identifiers/77.7/${'AB'.repeat(16)}`],
    ['demo:7', 'info:fedora/demo:7', 'info:fedora/demo:7'],
    ['info:fedora/demo:7/DC', 'info:fedora/demo:7/DC', 'info:fedora/demo:7/DC'],
  ])('may belong to another registry, which is not checked: %s', async (replacedBy, canonical, target) => {
    const { path } = await minted();
    expect((await withdraw(path, { replacedBy })).body.tombstone.replacedBy).toBe(canonical);
    expect((await service.client.get(path)).headers.get('link')).toBe(
      `<${target}>; rel="http://purl.org/dc/terms/isReplacedBy"`,
    );
  });

  it('is rejected when it is ours and not registered, reserved, withdrawn, or the identifier itself', async () => {
    const [{ path, identifier }, held, gone] = [await minted(), await reserved(), await minted()];
    await withdraw(gone.path);
    for (const replacedBy of [
      `${service.na}/${freshGuid()}`,
      held.identifier,
      gone.identifier,
      identifier.toLowerCase(),
    ]) {
      const answer = await withdraw(path, { replacedBy });
      expect(coded(answer)).toEqual([422, 'REPLACEMENT_NOT_FOUND']);
      expect(answer.body.errors[0].pointer).toBe('/replacedBy');
    }
    expect((await service.client.get(path)).body).toMatchObject({ state: 'active', version: 1 });
  });

  it('of two identifiers that replace each other concurrently, one is withdrawn', async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b] = [await minted(), await minted()];
      const answers = await Promise.all([
        withdraw(a.path, { replacedBy: b.identifier }),
        withdraw(b.path, { replacedBy: a.identifier }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    }
  });

  it('is stored in the registered form under a naming authority of other local names, with a link to it', async () => {
    const namingAuthority = `${service.na}.500`;
    await query(`INSERT INTO naming_authority (prefix, profile, case_insensitive) VALUES ($1, 'handle', true)`, [
      namingAuthority,
    ]);
    const localName = 'Report 7/ü?#"<';
    const replacement = await service.client.post('/identifiers', { namingAuthority, localName });
    expect(replacement.status).toBe(201);
    const { path } = await minted();
    const answer = await withdraw(path, { replacedBy: `${namingAuthority}/REPORT 7/ü?#"<` });
    expect(answer.body.tombstone.replacedBy).toBe(`hdl:${namingAuthority}/Report%207/%C3%BC%3F%23%22%3C`);
    const link = /^<(\S+)>/.exec((await service.client.get(path)).headers.get('link') ?? '')?.[1];
    expect((await service.client.get(link!)).body.identifier).toBe(`${namingAuthority}/${localName}`);
  });
});

describe('a reserved identifier', () => {
  it('is minted with state and lease, can be changed, and becomes active without a body', async () => {
    const { path, identifier } = await reserved({ target: 'https://a.example.org/' });
    const found = await service.client.get(path);
    expect(found.body).toMatchObject({ state: 'reserved', leaseUntil: NEXT_YEAR, tombstone: null });
    const headers = { 'content-type': 'application/json', 'if-match': found.headers.get('etag')! };
    const changed = await service.client.send('PATCH', path, headers, '{"target":"https://b.example.org/"}');
    expect(changed.body).toMatchObject({ state: 'reserved', leaseUntil: NEXT_YEAR, target: 'https://b.example.org/' });
    const active = await bare(path, 'activate');
    expect(active.status).toBe(200);
    expect(active.body).toMatchObject({
      state: 'active',
      leaseUntil: null,
      target: 'https://b.example.org/',
      version: 3,
    });
    expect(await kinds(identifier)).toEqual(['reserved', 'changed', 'activated']);
    expect(coded(await bare(path, 'activate'))).toEqual([409, 'WRONG_STATE']);
  });

  it('can be described in the step that activates it, under the same rules', async () => {
    const fields = { metadataId: freshMetadataId(), target: 'https://a.example.org/', alternateIds: [freshPid()] };
    const [one, two] = [await reserved(), await reserved()];
    expect((await step(one.path, 'activate', fields)).body).toMatchObject({ ...fields, state: 'active', version: 2 });
    expect(coded(await step(two.path, 'activate', fields))).toEqual([409, 'METADATA_ID_TAKEN']);
    const itself = { metadataId: two.identifier };
    expect(coded(await step(two.path, 'activate', itself))).toEqual([422, 'METADATA_ID_IS_IDENTIFIER']);
    expect((await service.client.get(two.path)).body).toMatchObject({ state: 'reserved', version: 1 });
  });

  it('can be withdrawn, which frees its values', async () => {
    const fields = { metadataId: freshMetadataId(), alternateIds: [freshPid()] };
    const { path } = await reserved(fields);
    const answer = await withdraw(path);
    expect(answer.body).toMatchObject({ state: 'withdrawn', leaseUntil: null, metadataId: null, alternateIds: [] });
    expect((await service.client.mint(fields)).status).toBe(201);
  });

  it('is activated once by twenty concurrent requests', async () => {
    const { path, identifier } = await reserved();
    const answers = await Promise.all(Array.from({ length: 20 }, () => bare(path, 'activate')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 200).map(coded)).toEqual(Array(19).fill([409, 'WRONG_STATE']));
    expect(await kinds(identifier)).toEqual(['reserved', 'activated']);
  });
});

describe('a step that cannot be read', () => {
  it.each([
    ['nothing', 'withdraw', {}],
    ['an empty reason', 'withdraw', { reason: '' }],
    ['a reason of spaces', 'withdraw', { reason: ' \u00a0 ' }],
    ['a line break', 'withdraw', { reason: 'a\nb' }],
    ['U+0000', 'withdraw', { reason: 'a\u0000b' }],
    ['a control of C1', 'withdraw', { reason: 'a\u0085b' }],
    ['half a character', 'withdraw', { reason: 'a\ud800b' }],
    ['1001 characters', 'withdraw', { reason: 'x'.repeat(1001) }],
    ['a reason that is null', 'withdraw', { reason: null }],
    ['a list of reasons', 'withdraw', { reason: ['x'] }],
    ['a member that nothing has', 'withdraw', { reason: 'x', until: 'x' }],
    ['a member that nothing has', 'activate', { until: 'x' }],
    ['a reason', 'reinstate', { reason: 'x' }],
    ['a text', 'reinstate', 'x'],
  ])('%s, for %s', async (_, name, body) => {
    const { path } = await minted();
    expect(coded(await step(path, name, body))).toEqual([400, 'INVALID_REQUEST']);
    expect((await service.client.get(path)).body.version).toBe(1);
  });

  it.each([
    [`${service.na}/xyz`, 'INVALID_GUID'],
    ['20.600/a\u0000b', 'INVALID_CHARACTER'],
    ['urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5', 'MISSING_SEPARATOR'],
    ['', 'NOT_RECOGNIZED'],
  ])('replacedBy %j', async (replacedBy, code) => {
    const { path } = await minted();
    expect(coded(await withdraw(path, { replacedBy }))).toEqual([400, code]);
  });

  it.each([
    ...['deleted', 'expired', 'released', 'undone'].map((code) => [code, 422, 'RESERVED_REASON_CODE'] as const),
    ...['Legal', '', 7, ['other']].map((code) => [code, 400, 'INVALID_REQUEST'] as const),
  ])('the reason code %j', async (reasonCode, status, code) => {
    const { path } = await minted();
    const answer = await withdraw(path, { reasonCode });
    expect([...coded(answer), answer.body.errors[0].pointer]).toEqual([status, code, '/reasonCode']);
    expect((await service.client.get(path)).body.version).toBe(1);
  });

  it('accepts a reason of 1000 characters of any script, with an emoji as one', async () => {
    const { path } = await minted();
    const reason = `${'ü'.repeat(999)}😀`;
    expect((await withdraw(path, { reason })).body.tombstone.reason).toBe(reason);
  });
});
