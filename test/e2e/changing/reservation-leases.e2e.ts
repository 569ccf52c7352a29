import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { ndjson, sendChanges } from '../harness/changes.js';
import { Client, coded } from '../harness/client.js';
import { freshGuid, freshMetadataId, freshPid } from '../harness/fresh-names.js';
import { inFuture, NEXT_YEAR, reservationsOf } from '../harness/reservations.js';
import { startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

// The sweep does not run during the test, so reads must apply the expiry.
const service = useService({ RESERVATION_SWEEP_INTERVAL_MS: '86400000' });

const { reserve, end, kinds } = reservationsOf(service);

/** A reservation whose lease ends while other tests run. */
let ending: { identifier: string; leaseUntil: string };

beforeAll(async () => {
  const { body, status } = await service.client.mint({ state: 'reserved', leaseUntil: inFuture(5000) });
  expect(status).toBe(201);
  expect((await service.client.get(`/identifiers/${body.identifier}`)).body.state).toBe('reserved');
  ending = body;
});

describe('an ended lease whose expiry is not recorded', () => {
  const LAPSED = { reasonCode: 'expired', reason: 'The reservation ended without activation.', replacedBy: null };

  async function expired(fields: object = {}): Promise<string> {
    const { body } = await service.client.mint({ state: 'reserved', leaseUntil: NEXT_YEAR, ...fields });
    await end(body.identifier);
    return body.identifier;
  }

  it('returns 410, and in lists it is withdrawn and not reserved', async () => {
    const [since, target] = [inFuture(-1000), `https://${randomUUID()}.example.org/`];
    const identifier = await expired({ target });
    const gone = await service.client.get(`/identifiers/${identifier}`);
    expect(coded(gone)).toEqual([410, 'IDENTIFIER_WITHDRAWN']);
    expect(gone.body.tombstone).toMatchObject(LAPSED);
    const listed = async (state: string) =>
      (await service.client.get(`/identifiers?state=${state}&target=${target}&createdFrom=${since}`)).body.items;
    expect(await listed('reserved')).toEqual([]);
    expect(await listed('active')).toEqual([]);
    expect(await listed('withdrawn')).toMatchObject([
      { identifier, state: 'withdrawn', leaseUntil: null, metadataId: null, alternateIds: [], tombstone: LAPSED },
    ]);
  });

  it('has a new version at once, which changes and dry runs require, and keeps its entity tag when it is recorded', async () => {
    const { body } = await service.client.mint({ state: 'reserved', leaseUntil: NEXT_YEAR });
    const path = `/identifiers/${body.identifier}`;
    const reserved = (await service.client.get(path)).headers.get('etag')!;
    await end(body.identifier);
    const gone = await service.client.get(path);
    expect([gone.status, gone.body.version]).toEqual([410, 2]);
    const change = (ifVersion: number, query = '') =>
      sendChanges(service.client, ndjson({ identifier: body.identifier, alternateIds: [], ifVersion }), { query });
    const statuses = async (query: string) =>
      (await Promise.all([1, 2].map((version) => change(version, query)))).map(({ lines }) => lines[0].status);
    expect(await statuses('?dryRun=true')).toEqual([412, 200]);
    const reinstated = (tag: string) => service.client.post(`${path}/reinstate`, {}, { 'if-match': tag });
    expect(coded(await reinstated(reserved))).toEqual([412, 'PRECONDITION_FAILED']);
    expect(coded(await reinstated('"1"'))).toEqual([412, 'PRECONDITION_FAILED']);
    expect(await statuses('')).toEqual([412, 200]);
    expect(await kinds(body.identifier)).toEqual(['reserved', 'lapsed']);
    const recorded = await service.client.get(path);
    expect([recorded.headers.get('etag'), recorded.body]).toEqual([gone.headers.get('etag'), gone.body]);
    expect((await reinstated(gone.headers.get('etag')!)).body).toMatchObject({ state: 'active', version: 3 });
  });

  it('is recorded for a batch that holds names, although a change of it waits for these names', async () => {
    const [metadataId, guid] = [freshMetadataId(), freshGuid()];
    const identifier = await expired({ metadataId });
    const change = new pg.Client({ connectionString: service.database.url });
    await change.connect();
    try {
      await change.query("BEGIN; SET LOCAL lock_timeout = '1s'");
      // The locks of a change of the reservation, and then of a name.
      await change.query(
        'SELECT pg_advisory_xact_lock(4417639, (id % 512)::int) FROM identifier WHERE guid = $1::uuid',
        [identifier.slice(8)],
      );
      const batch = service.client.post('/identifiers/batch', {
        namingAuthority: '100.102',
        items: [{ guid }, { metadataId }],
      });
      const waits = `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
                     WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`;
      while ((await change.query(waits)).rowCount === 0) await pause(5);
      await change.query('SELECT lock_names($1::text[], $2::uuid[], $3::boolean[])', [['100.102'], [guid], [true]]);
      await change.query('COMMIT');
      const { body } = await batch;
      expect(body.items.map(({ status }: { status: number }) => status)).toEqual([201, 201]);
    } finally {
      await change.end();
    }
    expect(await kinds(identifier)).toEqual(['reserved', 'lapsed']);
  });

  it('frees metadata ID and alternates at once, for a mint and for a change', async () => {
    const [one, two] = [
      { metadataId: freshMetadataId(), alternateIds: [freshPid()] },
      { metadataId: freshMetadataId(), alternateIds: [freshPid()] },
    ];
    const first = await expired(one);
    const second = await expired(two);
    expect((await service.client.get(`/identifiers?metadataId=${one.metadataId}`)).body.items).toEqual([]);
    expect((await service.client.get(`/identifiers?alternateId=${one.alternateIds[0]}`)).body.items).toEqual([]);
    const minted = await service.client.mint(one);
    expect([minted.status, minted.body.metadataId]).toEqual([201, one.metadataId]);
    const { body } = await service.client.mint();
    const headers = { 'content-type': 'application/json', 'if-match': '*' };
    const changed = await service.client.send('PATCH', `/identifiers/${body.identifier}`, headers, JSON.stringify(two));
    expect(changed.body).toMatchObject(two);
    expect(await kinds(first)).toEqual(['reserved', 'lapsed']);
    expect(await kinds(second)).toEqual(['reserved', 'lapsed']);
  });

  it('is not recorded by a replay, which needs no free name', async () => {
    const order = { metadataId: freshMetadataId() };
    const key = { 'idempotency-key': randomUUID() };
    const { body } = await service.client.mint(order, key);
    const headers = { 'content-type': 'application/json', 'if-match': '*' };
    const change = JSON.stringify({ metadataId: freshMetadataId() });
    expect((await service.client.send('PATCH', `/identifiers/${body.identifier}`, headers, change)).status).toBe(200);
    const reserved = await expired(order);
    const replayed = await service.client.mint(order, key);
    expect([replayed.status, replayed.body.identifier]).toEqual([201, body.identifier]);
    expect(await kinds(reserved)).toEqual(['reserved']);
  });

  it('frees its names for more batches at once than the pool has connections', async () => {
    const orders = Array.from({ length: 6 }, () => ({ metadataId: freshMetadataId() }));
    for (const order of orders) await expired(order);
    const server = await startServer({
      ...{ DATABASE_URL: service.database.url, ACCESS: 'open', RESERVATION_SWEEP_INTERVAL_MS: '86400000' },
      ...{ DATABASE_POOL_SIZE: '2', DATABASE_CONNECT_TIMEOUT_MS: '3000' },
    });
    const client = new Client(server.url);
    const answers = await Promise.all(
      orders.map((order) =>
        client.post('/identifiers/batch', {
          namingAuthority: '100.102',
          items: [{ target: 'https://a.example/' }, order],
        }),
      ),
    );
    await server.stop();
    const statuses = answers.map(
      ({ body }) => body.items?.map(({ status }: { status: number }) => status) ?? body.code,
    );
    expect(statuses).toEqual(orders.map(() => [201, 201]));
  });

  it('fails only its own line of a stream while its row is locked, and the lines minted before have results', async () => {
    const order = { metadataId: freshMetadataId() };
    await expired(order);
    const holder = new pg.Client({ connectionString: service.database.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM identifier WHERE metadata_id = $1 FOR UPDATE', [order.metadataId]);
    const body = [{ target: 'https://a.example/' }, order].map((line) => JSON.stringify(line)).join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    const path = '/identifiers/bulk?namingAuthority=100.102';
    const answer = await fetch(service.server.url + path, { method: 'POST', headers, body });
    const lines = (await answer.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    await holder.query('ROLLBACK');
    await holder.end();
    expect(lines.map(({ line, status, problem }) => [line, status, problem?.code])).toEqual([
      [1, 201, undefined],
      [2, 503, 'CONFLICT_IN_PROGRESS'],
    ]);
  });

  it('describes nothing any more', async () => {
    const record = (await service.client.mint()).body;
    await expired({ metadataId: record.identifier });
    expect((await service.client.get(`/identifiers/${record.identifier}`)).body.describes).toEqual([]);
  });

  it('cannot be activated, changed or withdrawn any more, nor in its reservation', async () => {
    const identifier = await expired();
    const headers = { 'content-type': 'application/json', 'if-match': '*' };
    for (const answer of [
      await service.client.post(`/identifiers/${identifier}/activate`, {}),
      await service.client.send('PATCH', `/identifiers/${identifier}`, headers, '{"target":"https://x.example"}'),
      await service.client.post(`/identifiers/${identifier}/withdraw`, { reason: 'x' }),
    ]) {
      expect(coded(answer)).toEqual([409, 'WRONG_STATE']);
    }
    const { body } = await reserve({ count: 1 });
    await end(body.items[0]);
    expect((await service.client.get(`/reservations/${body.id}`)).body).toMatchObject({ reserved: 0, withdrawn: 1 });
    const report = await service.client.post(`/reservations/${body.id}/release`, {});
    expect(report.body).toMatchObject({ released: 0, skipped: 1 });
    expect(await kinds(body.items[0])).toEqual(['reserved', 'lapsed']);
  });

  it('ends by itself at its expiry', async () => {
    await pause(Math.max(0, Date.parse(ending.leaseUntil) + 100 - Date.now()));
    const gone = await service.client.get(`/identifiers/${ending.identifier}`);
    expect([gone.status, gone.body.tombstone.withdrawnAt]).toEqual([410, ending.leaseUntil]);
  });
});
