import { describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { coded } from '../harness/client.js';
import { freshMetadataId, freshPid } from '../harness/fresh-names.js';
import { inFuture, NEXT_YEAR, reservationsOf } from '../harness/reservations.js';
import { useService } from '../harness/service.js';

// The sweep does not run during the test, so reads must apply the expiry.
const service = useService({ RESERVATION_SWEEP_INTERVAL_MS: '86400000' });

const { reserve, query, end, kinds } = reservationsOf(service);

describe('POST /reservations', () => {
  it('returns 201 with Location and identifiers that resolve as reserved', async () => {
    const made = await reserve();
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/reservations/${made.body.id}`);
    const counts = { count: 3, reserved: 3, active: 0, withdrawn: 0 };
    expect(made.body).toMatchObject({ namingAuthority: '100.102', leaseUntil: NEXT_YEAR, ...counts });
    expect(new Set(made.body.items).size).toBe(3);
    for (const identifier of made.body.items) {
      const { body } = await service.client.get(`/identifiers/${identifier}`);
      expect(body).toMatchObject({
        identifier,
        state: 'reserved',
        leaseUntil: NEXT_YEAR,
        version: 1,
        metadataId: null,
      });
      expect(await kinds(identifier)).toEqual(['reserved']);
    }
    expect((await service.client.get(made.headers.get('location')!)).body).toEqual(made.body);
  });

  it('reserves ten thousand at once, and activates them at once, each with its history', async () => {
    const made = await reserve({ count: 10_000, namingAuthority: '2000.01' });
    expect([made.status, made.body.items.length]).toEqual([201, 10_000]);
    const report = await service.client.post(`/reservations/${made.body.id}/activate`, {});
    expect(report.body).toMatchObject({ activated: 10_000, released: 0, skipped: 0 });
    expect(report.body.items.map((item: { identifier: string }) => item.identifier)).toEqual(made.body.items);
    const rows = await query(
      `SELECT kind, count(*)::int AS changes, count(DISTINCT identifier_id)::int AS identifiers,
              count(DISTINCT position) = 1 AS "isOneTransaction"
       FROM event WHERE naming_authority_id = (SELECT id FROM naming_authority WHERE prefix = '2000.01') AND kind IN ('reserved', 'activated') GROUP BY kind ORDER BY kind`,
    );
    const all = { changes: 10_000, identifiers: 10_000 };
    // A reservation is one transaction; its activation is several, so that other changes do not wait.
    expect(rows).toEqual([
      { kind: 'activated', ...all, isOneTransaction: false },
      { kind: 'reserved', ...all, isOneTransaction: true },
    ]);
  });

  it.each([
    ['no count', { count: undefined }, 400, 'INVALID_REQUEST'],
    ['none', { count: 0 }, 400, 'INVALID_REQUEST'],
    ['one too many', { count: 10_001 }, 400, 'INVALID_REQUEST'],
    ['half of one', { count: 1.5 }, 400, 'INVALID_REQUEST'],
    ['a count in words', { count: '3' }, 400, 'INVALID_REQUEST'],
    ['a count of null', { count: null }, 400, 'INVALID_REQUEST'],
    ['no lease', { leaseUntil: undefined }, 400, 'INVALID_REQUEST'],
    ['a lease that is past', { leaseUntil: '2020-01-01T00:00:00Z' }, 400, 'INVALID_REQUEST'],
    ['a lease on 31 February', { leaseUntil: '2126-02-31T00:00:00Z' }, 400, 'INVALID_REQUEST'],
    ['a lease without a zone', { leaseUntil: '2126-02-01T00:00:00' }, 400, 'INVALID_REQUEST'],
    ['a member that nothing has', { state: 'reserved' }, 400, 'INVALID_REQUEST'],
    ['a naming authority that is malformed', { namingAuthority: '100..102' }, 400, 'INVALID_NAMING_AUTHORITY'],
    ['a naming authority that is unknown', { namingAuthority: '77.7' }, 422, 'UNKNOWN_NAMING_AUTHORITY'],
  ])('%s is rejected, and nothing is reserved', async (_, fields, status, code) => {
    const [before] = await query('SELECT count(*) FROM identifier');
    expect(coded(await reserve(fields))).toEqual([status, code]);
    expect(await query('SELECT count(*) FROM identifier')).toEqual([before]);
  });

  it('a suspended naming authority reserves nothing, and a replay still succeeds', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await reserve({ namingAuthority: '2000.01' }, headers);
    await query(
      `UPDATE naming_authority SET state = 'suspended', version = version + 1, updated_at = now() WHERE prefix = '2000.01'`,
    );
    const rejected = await reserve({ namingAuthority: '2000.01' });
    const replay = await reserve({ namingAuthority: '2000.01' }, headers);
    await query(
      `UPDATE naming_authority SET state = 'active', version = version + 1, updated_at = now() WHERE prefix = '2000.01'`,
    );
    expect(coded(rejected)).toEqual([422, 'SUSPENDED_NAMING_AUTHORITY']);
    expect([replay.status, replay.body]).toEqual([201, first.body]);
  });
});

describe('Idempotency-Key of a reservation', () => {
  it('a repeat returns the first result, also after the end of the lease', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const leaseUntil = inFuture(3000);
    const first = await reserve({ leaseUntil }, headers);
    await pause(Date.parse(leaseUntil) + 100 - Date.now());
    const replay = await reserve({ leaseUntil }, headers);
    expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(replay.body).toEqual(first.body);
    expect(replay.headers.get('location')).toBe(first.headers.get('location'));
    expect(coded(await reserve({ leaseUntil, count: 4 }, headers))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('the key of a mint is rejected with 422, for a reservation and for its settlement', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    await service.client.mint({}, headers);
    expect(coded(await reserve({}, headers))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const { body } = await reserve();
    const settled = await service.client.post(`/reservations/${body.id}/release`, {}, headers);
    expect(coded(settled)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('of ten at once, one reserves, and the others return its result or REQUEST_IN_FLIGHT', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 10 }, () => reserve({}, headers)));
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    for (const busy of answers.filter(({ status }) => status !== 201)) {
      expect([...coded(busy), busy.headers.get('retry-after')]).toEqual([409, 'REQUEST_IN_FLIGHT', '1']);
    }
  });

  it('a repeat returns the first report, in any form; another selection is another request', async () => {
    const { body } = await reserve();
    const headers = { 'idempotency-key': randomUUID() };
    const path = `/reservations/${body.id}/activate`;
    const [one, two] = body.items;
    const first = await service.client.post(path, { items: [one] }, headers);
    const replay = await service.client.post(path, { items: [`hdl:${one.toLowerCase()}`] }, headers);
    expect([replay.headers.get('idempotency-replayed'), replay.body]).toEqual(['true', first.body]);
    for (const answer of [
      await service.client.post(path, { items: [two] }, headers),
      await service.client.post(path, {}, headers),
      await service.client.post(`/reservations/${body.id}/release`, { items: [one] }, headers),
    ]) {
      expect(coded(answer)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
  });

  it('returns the first report also where an earlier version stored it as problem documents', async () => {
    const { body } = await reserve();
    const headers = { 'idempotency-key': randomUUID() };
    const path = `/reservations/${body.id}/release`;
    const first = await service.client.post(path, { items: [body.items[0], 'a b'] }, headers);
    expect(first.body.items[1].problem).toMatchObject({ code: 'NOT_RECOGNIZED', instance: path, offset: 0 });
    const changed = await query('UPDATE request_part SET outcomes = $2 WHERE key = $1 RETURNING place', [
      headers['idempotency-key'],
      JSON.stringify(first.body.items),
    ]);
    const replay = await service.client.post(path, { items: [body.items[0], 'a b'] }, headers);
    expect([changed.length, replay.headers.get('idempotency-replayed'), replay.body]).toEqual([1, 'true', first.body]);
  });
});

describe('the report of POST /reservations/{id}/activate and /release', () => {
  it('has an item for each named identifier, in order and in any form, with a problem for each skipped one', async () => {
    const { body } = await reserve({ count: 4 });
    const [a, b, c, d] = body.items;
    await service.client.post(`/identifiers/${c}/activate`, {});
    await end(d);
    const other = (await reserve({ count: 1 })).body.items[0];
    const identifiers = [b, `hdl:${a.toLowerCase()}`, c, 'a b', `info:hdl/${b}`, other, d];
    const { status, body: report } = await service.client.post(`/reservations/${body.id}/activate`, {
      items: identifiers,
    });
    expect(status).toBe(200);
    expect(report).toMatchObject({ id: body.id, activated: 2, released: 0, skipped: 5 });
    const items = report.items.map((item: any) => [item.identifier, item.outcome, item.problem?.code]);
    expect(items).toEqual([
      [b, 'activated', undefined],
      [a, 'activated', undefined],
      [c, 'skipped', 'WRONG_STATE'],
      ['a b', 'skipped', 'NOT_RECOGNIZED'],
      [b, 'skipped', 'DUPLICATE_IN_REQUEST'],
      [other, 'skipped', 'NOT_IN_RESERVATION'],
      [d, 'skipped', 'WRONG_STATE'],
    ]);
    expect(report.items[3].problem).toMatchObject({ status: 400, errors: [{ pointer: '/items/3' }] });
    expect((await service.client.get(`/identifiers/${a}`)).body).toMatchObject({ state: 'active', version: 2 });
    expect((await service.client.get(`/identifiers/${other}`)).body.state).toBe('reserved');
    const now = await service.client.get(`/reservations/${body.id}`);
    expect(now.body).toMatchObject({
      count: 4,
      reserved: 0,
      active: 3,
      withdrawn: 1,
      leaseUntil: null,
      items: [],
    });
  });

  it('is of all that belong to the reservation without a body; what was settled before is skipped', async () => {
    const { body } = await reserve();
    const [first, ...rest] = body.items;
    await service.client.post(`/reservations/${body.id}/activate`, { items: [first] });
    const left = await service.client.get(`/reservations/${body.id}`);
    expect(left.body).toMatchObject({ reserved: 2, active: 1, items: rest });
    const { body: report } = await service.client.send('POST', `/reservations/${body.id}/release`, {});
    expect(report).toMatchObject({ activated: 0, released: 2, skipped: 1 });
    expect(report.items.map((item: any) => item.outcome)).toEqual(['skipped', 'released', 'released']);
    const gone = await service.client.get(`/identifiers/${rest[0]}`);
    expect(coded(gone)).toEqual([410, 'IDENTIFIER_WITHDRAWN']);
    expect(await kinds(rest[0])).toEqual(['reserved', 'released']);
    const again = await service.client.mint({ guid: rest[0].slice(8) });
    expect(coded(again)).toEqual([409, 'GUID_TAKEN']);
  });

  it('frees the values of a released identifier', async () => {
    const { body } = await reserve({ count: 1 });
    const fields = { metadataId: freshMetadataId(), alternateIds: [freshPid()] };
    const headers = { 'content-type': 'application/json', 'if-match': '*' };
    await service.client.send('PATCH', `/identifiers/${body.items[0]}`, headers, JSON.stringify(fields));
    await service.client.post(`/reservations/${body.id}/release`, {});
    expect((await service.client.mint(fields)).status).toBe(201);
  });

  it('of an activation and a release at once, each identifier has one of them', async () => {
    const { body } = await reserve({ count: 200 });
    const reports = await Promise.all(
      ['activate', 'release', 'activate', 'release'].map((name) =>
        service.client.post(`/reservations/${body.id}/${name}`, {}),
      ),
    );
    expect(reports.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const items = reports.flatMap(({ body: report }) => report.items as { outcome: string }[]);
    expect(items.filter(({ outcome }) => outcome !== 'skipped')).toHaveLength(200);
    const [row] = await query(`SELECT max(version)::int AS version FROM identifier WHERE reservation = $1::uuid`, [
      body.id,
    ]);
    expect(row).toEqual({ version: 2 });
  });

  it.each([
    ['an empty list', { items: [] }],
    ['a list of numbers', { items: [7] }],
    ['too many', { items: Array(10_001).fill('100.102/0') }],
    ['a member that nothing has', { items: [] }],
  ])('%s is rejected', async (_, selection) => {
    const { body } = await reserve({ count: 1 });
    const answer = await service.client.post(`/reservations/${body.id}/activate`, selection);
    expect(coded(answer)).toEqual([400, 'INVALID_REQUEST']);
    expect((await service.client.get(`/reservations/${body.id}`)).body.reserved).toBe(1);
  });

  it.each(['00000000-0000-4000-8000-000000000000', 'x', '%00', "'", '0'.repeat(32)])(
    'a reservation that does not exist, %s',
    async (id) => {
      expect(coded(await service.client.get(`/reservations/${id}`))).toEqual([404, 'RESERVATION_NOT_FOUND']);
      expect(coded(await service.client.post(`/reservations/${id}/release`, {}))).toEqual([
        404,
        'RESERVATION_NOT_FOUND',
      ]);
    },
  );
});
