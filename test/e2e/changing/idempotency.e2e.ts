import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { coded } from '../harness/client.js';
import { curationOf, pathOf } from '../harness/curation.js';
import { query } from '../harness/database.js';
import { NEXT_YEAR } from '../harness/reservations.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const { history, minted, patch, step } = curationOf(service);

describe('Idempotency-Key', () => {
  const keyed = () => ({ 'idempotency-key': randomUUID() });

  it('a repeated change gets the first outcome, although its If-Match is stale by then', async () => {
    const { path, tag } = await minted();
    const headers = { ...keyed(), 'if-match': tag };
    const first = await patch(path, { target: 'https://a.example.org/' }, headers);
    await patch(path, { target: 'https://b.example.org/' });
    const replay = await patch(path.toLowerCase(), { target: 'https://a.example.org/' }, headers);
    expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(replay.body).toEqual({ ...first.body, repairs: ['GUID_UPPERCASED'] });
    expect(replay.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect((await service.client.get(path)).body).toMatchObject({ version: 3, target: 'https://b.example.org/' });
  });

  it('the stored result is the representation, which a replica of another version replays', async () => {
    const { path } = await minted();
    const headers = keyed();
    const { body } = await patch(path, { target: 'https://a.example.org/' }, headers);
    const stored = () =>
      query<{ outcome: string }>(service.database.url, 'SELECT outcome FROM request WHERE key = $1', [
        headers['idempotency-key'],
      ]);
    expect((await stored())[0]!.outcome).toBe(JSON.stringify(body));
    const earlier = { ...body, uris: { ...body.uris, resolver: 'https://earlier.example.org/' } };
    await query(service.database.url, 'UPDATE request SET outcome = $2 WHERE key = $1', [
      headers['idempotency-key'],
      JSON.stringify(earlier),
    ]);
    expect((await patch(path, { target: 'https://a.example.org/' }, headers)).body).toEqual(earlier);
  });

  it('another body, another step and another identifier are rejected with 422', async () => {
    const [{ path }, other] = [await minted(), await minted()];
    const headers = keyed();
    await patch(path, { target: 'https://a.example.org/' }, headers);
    for (const answer of [
      await patch(path, { target: 'https://b.example.org/' }, headers),
      await step(path, 'withdraw', { reason: 'x' }, headers),
      await patch(other.path, { target: 'https://a.example.org/' }, headers),
    ]) {
      expect(coded(answer)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
  });

  it('another If-Match is rejected with 422 for each step, and another notation of it is the same', async () => {
    const { path, tag } = await minted({ state: 'reserved', leaseUntil: NEXT_YEAR });
    const reused = [422, 'IDEMPOTENCY_KEY_REUSED'];
    const steps = [
      (headers: object) => step(path, 'activate', {}, { ...headers }),
      (headers: object) => patch(path, { target: 'https://a.example.org/' }, { ...headers }),
      (headers: object) => step(path, 'withdraw', { reason: 'x' }, { ...headers }),
      (headers: object) => step(path, 'reinstate', {}, { ...headers }),
    ];
    for (const [index, send] of steps.entries()) {
      const [headers, current] = [keyed(), `"${index + 1}"`];
      const first = await send({ ...headers, 'if-match': `${current}, ${tag}` });
      expect([first.status, first.body.version]).toEqual([200, index + 2]);
      for (const other of ['*', current, `"${index + 2}"`])
        expect(coded(await send({ ...headers, 'if-match': other }))).toEqual(reused);
      const again = await send({ ...headers, 'if-match': `,${current} ,  ${tag}` });
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    }
    const headers = keyed();
    expect((await step(path, 'withdraw', { reason: 'x' }, headers)).status).toBe(200);
    expect(coded(await step(path, 'withdraw', { reason: 'x' }, { ...headers, 'if-match': '*' }))).toEqual(reused);
  });

  it('a withdrawal with another reason code is rejected with 422, and "other" is the same as none', async () => {
    const { path } = await minted();
    const headers = keyed();
    const body = { reason: 'Deposited twice.' };
    expect((await step(path, 'withdraw', body, headers)).status).toBe(200);
    expect((await step(path, 'withdraw', { ...body, reasonCode: 'other' }, headers)).status).toBe(200);
    const other = await step(path, 'withdraw', { ...body, reasonCode: 'legal' }, headers);
    expect(coded(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('the key of a mint is rejected with 422 for a change, and the key of a change for a mint', async () => {
    const [ofMint, ofChange] = [keyed(), keyed()];
    const { body } = await service.client.mint({}, ofMint);
    expect(coded(await patch(pathOf(body.identifier), {}, ofMint))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect((await patch(pathOf(body.identifier), {}, ofChange)).status).toBe(200);
    expect(coded(await service.client.mint({}, ofChange))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('a rejected change leaves its key unused', async () => {
    const { path } = await minted();
    const headers = keyed();
    expect((await patch(path, { target: null }, { ...headers, 'if-match': '"stale"' })).status).toBe(412);
    expect((await patch(path, { target: 'https://a.example.org/' }, headers)).status).toBe(200);
  });

  it('of forty withdrawals at once under one key, one is made, and the others return its result or REQUEST_IN_FLIGHT', async () => {
    const { path, identifier } = await minted();
    const headers = keyed();
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => step(path, 'withdraw', { reason: 'twice' }, headers)),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].filter((status) => status !== 200 && status !== 409)).toEqual([]);
    for (const busy of answers.filter(({ status }) => status === 409)) {
      expect([busy.body.code, busy.headers.get('retry-after')]).toEqual(['REQUEST_IN_FLIGHT', '1']);
    }
    const done = answers.filter(({ status }) => status === 200);
    expect(done.filter((answer) => answer.headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect((await history(identifier)).map(({ kind }) => kind)).toEqual(['minted', 'withdrawn']);
  });
});

describe('a change that cannot be read', () => {
  it.each([
    ['an unknown member', { surprise: 1 }, 400, 'INVALID_REQUEST'],
    ['another state', { state: 'withdrawn' }, 422, 'READ_ONLY_MEMBER'],
    ['a target that is no URL', { target: 'javascript:alert(1)' }, 400, 'INVALID_REQUEST'],
    ['a target that is empty', { target: '' }, 400, 'INVALID_REQUEST'],
    ['a metadata ID that is a number', { metadataId: 7 }, 400, 'INVALID_REQUEST'],
    ['a metadata ID without a local name', { metadataId: 'hdl:7000.1' }, 400, 'MISSING_SEPARATOR'],
    ['a metadata ID with U+0000', { metadataId: 'hdl:2000.03/a\u0000b' }, 400, 'INVALID_CHARACTER'],
    ['alternates that are a text', { alternateIds: 'demo:1' }, 400, 'INVALID_REQUEST'],
    ['101 alternates', { alternateIds: Array(101).fill('demo:1') }, 400, 'INVALID_REQUEST'],
    ['a malformed alternate', { alternateIds: ['demo:1', 'a b'] }, 400, 'NOT_RECOGNIZED'],
    ['a list', [], 400, 'INVALID_REQUEST'],
    ['a text', 'x', 400, 'INVALID_REQUEST'],
  ])('%s', async (_, body, status, code) => {
    const { path } = await minted();
    expect(coded(await patch(path, body))).toEqual([status, code]);
    expect((await service.client.get(path)).body.version).toBe(1);
  });

  it.each([
    ['is not registered', `/identifiers/${service.na}/${'0'.repeat(32)}`, 404, 'IDENTIFIER_NOT_FOUND'],
    ['has another naming authority', `/identifiers/77.7/${'0'.repeat(32)}`, 404, 'IDENTIFIER_NOT_FOUND'],
    ['is malformed', `/identifiers/${service.na}/xyz`, 400, 'INVALID_GUID'],
    ['is a Fedora PID', '/identifiers/demo:7', 404, 'IDENTIFIER_NOT_FOUND'],
  ])('an identifier that %s', async (_, path, status, code) => {
    expect(coded(await patch(path, {}))).toEqual([status, code]);
    expect(coded(await step(path, 'withdraw', { reason: 'x' }))).toEqual([status, code]);
  });

  it('a media type that is not JSON, and a merge patch that is no PATCH', async () => {
    const { path } = await minted();
    const xml = { 'content-type': 'application/json-patch+json' };
    const rejected = await patch(path, [], xml);
    expect(coded(rejected)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(rejected.body.detail).toContain('application/merge-patch+json');
    const merge = { 'content-type': 'application/merge-patch+json' };
    expect(coded(await step(path, 'withdraw', { reason: 'x' }, merge))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});
