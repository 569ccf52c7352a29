import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Request, Requests } from '../access/authorisation/requests.js';
import { coded } from '../harness/client.js';
import { query } from '../harness/database.js';
import { useService } from '../harness/service.js';

const service = useService({ NAMING_AUTHORITIES: '100.102,2001,2002,2003,2004,2005,2006' });

/** Removes a naming authority with its rows, as the loss of an asynchronous primary does. */
async function lose(prefix: string): Promise<void> {
  const id = `(SELECT id FROM naming_authority WHERE prefix = '${prefix}')`;
  const tables = ['change', 'alternate_identifier', 'identifier', 'handle_user'];
  const deletions = tables.map((table) => `DELETE FROM ${table} WHERE naming_authority_id = ${id}`);
  await query(
    service.database.url,
    // The triggers that keep rows are not those of a new server.
    `SET session_replication_role = replica; ${deletions.join('; ')}; DELETE FROM naming_authority WHERE prefix = '${prefix}'`,
  );
}

/** Ends the sessions of the service, as a failover does. */
const cutSessions = () =>
  query(
    service.database.url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'mintmark'`,
  );

const lines = (text: string): any[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

describe('a naming authority that was lost with its server', () => {
  it.each([
    ['a mint', { namingAuthority: '2001' }],
    ['a mint of a known name', { namingAuthority: '2001', guid: '0123456789ABCDEF0123456789ABCDEF' }],
    ['a mint with a metadata ID', { namingAuthority: '2001', metadataId: 'hdl:1/2', mintMetadataId: false }],
    ['a pair', { namingAuthority: '2001', mintMetadataId: true }],
    ['an update', { namingAuthority: '2001', metadataId: 'hdl:1/3', onExisting: 'update' }],
  ])('%s answers 422 and is repeated with success after it was created again', async (_, fields) => {
    const { client } = service;
    expect((await client.mint({ namingAuthority: '2001' })).status).toBe(201);
    await lose('2001');
    const headers = { 'idempotency-key': `lost-${JSON.stringify(fields)}` };
    expect(coded(await client.mint(fields, headers))).toEqual([422, 'UNKNOWN_NAMING_AUTHORITY']);
    expect(coded(await client.mint(fields))).toEqual([422, 'UNKNOWN_NAMING_AUTHORITY']);
    expect((await client.post('/naming-authorities', { namingAuthority: '2001' })).status).toBe(201);
    expect((await client.mint(fields, headers)).status).toBe(201);
  });

  it('the items of a batch, the lines of streams and a reservation answer so too', async () => {
    const { client } = service;
    expect((await client.mint({ namingAuthority: '2002' })).status).toBe(201);
    await lose('2002');
    const namingAuthority = '2002';
    const batch = await client.post('/identifiers/batch', { namingAuthority, items: [{}, { mintMetadataId: true }] });
    expect(batch.body.items.map(({ problem }: any) => problem.code)).toEqual(Array(2).fill('UNKNOWN_NAMING_AUTHORITY'));
    expect((await client.mint({ namingAuthority: '2003' })).status).toBe(201);
    await lose('2003');
    const bulk = await fetch(`${client.base}/identifiers/bulk?namingAuthority=2003`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: '{}\n{"mintMetadataId":true}\n',
    });
    expect(lines(await bulk.text()).map(({ problem }) => problem.code)).toEqual(
      Array(2).fill('UNKNOWN_NAMING_AUTHORITY'),
    );
    expect((await client.mint({ namingAuthority: '2004' })).status).toBe(201);
    await lose('2004');
    const leaseUntil = new Date(Date.now() + 60_000).toISOString();
    const reserved = await client.post('/reservations', { namingAuthority: '2004', count: 2, leaseUntil });
    expect(coded(reserved)).toEqual([422, 'UNKNOWN_NAMING_AUTHORITY']);
    expect((await client.mint({ namingAuthority: '2005' })).status).toBe(201);
    await lose('2005');
    const imported = await fetch(`${client.base}/identifiers/import`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${JSON.stringify({
        identifier: '2005/0123456789ABCDEF0123456789ABCDEF',
        ...{ state: 'active', version: 1, createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' },
      })}\n`,
    });
    expect(lines(await imported.text()).at(-1).problem.code).toBe('UNKNOWN_NAMING_AUTHORITY');
  });

  it('that has another version on the new server mints by the settings of that one, a second after the sessions were lost', async () => {
    const { client, database } = service;
    const path = '/naming-authorities/2006';
    const change = (targetTemplate: string) =>
      client.send(
        'PATCH',
        path,
        { 'content-type': 'application/json', 'if-match': '*' },
        JSON.stringify({ targetTemplate }),
      );
    expect((await change('https://lost.example.org/{guid}')).status).toBe(200);
    expect((await client.mint({ namingAuthority: '2006' })).body.target).toMatch(/^https:\/\/lost/);
    // The change was lost, and another one with the same version was made on the new server.
    await query(
      database.url,
      `UPDATE naming_authority SET target_template = 'https://kept.example.org/{guid}', updated_at = updated_at - interval '1 hour'
       WHERE prefix = '2006'`,
    );
    await cutSessions();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const { status, body } = await client.mint({ namingAuthority: '2006' });
    expect([status, body.target?.slice(0, 13)]).toEqual([201, 'https://kept.']);
  });
});

describe('an identifier that is lost during a request', () => {
  /** Removes an identifier, without the rows that refer to it. */
  const remove = (identifier: string) =>
    query(
      service.database.url,
      `SET session_replication_role = replica; DELETE FROM identifier WHERE guid = '${identifier.slice(8)}'::uuid`,
    );

  it('is 503 for the replay of a batch that has stored it', async () => {
    const { client } = service;
    const headers = { 'idempotency-key': 'lost-batch' };
    const items = { namingAuthority: '100.102', items: [{}, {}] };
    const { status, body } = await client.post('/identifiers/batch?mode=atomic', items, headers);
    expect(status).toBe(200);
    await remove(body.items[1].identifier as string);
    const replay = await client.post('/identifiers/batch?mode=atomic', items, headers);
    expect(coded(replay)).toEqual([503, 'DATABASE_UNAVAILABLE']);
  });

  it('is 503 for a change that has found it before it waited for a lock', async () => {
    const { client, database } = service;
    const { identifier } = (await client.mint()).body;
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    // The lock of changes of this identifier, as `src/storage/changes/change-log.ts` takes it.
    await other.query(
      `SELECT pg_advisory_lock(4417639, (id % 512)::int) FROM identifier WHERE guid = '${identifier.slice(8)}'::uuid`,
    );
    const withdrawn = client.post(`/identifiers/${identifier}/withdraw`, { reason: 'x' });
    for (;;) {
      const { rowCount } = await other.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
      if (rowCount !== 0) break;
    }
    await remove(identifier as string);
    await other.end();
    expect(coded(await withdrawn)).toEqual([503, 'DATABASE_UNAVAILABLE']);
  });
});

describe('when all rows are lost at once', () => {
  it('no operation answers 500', async () => {
    const { client, database } = service;
    const requests = new Requests(client, {});
    const made: [string, Request][] = [];
    for (const operation of requests.known) made.push([operation, await requests.for(operation)]);
    await query(
      database.url,
      'SET session_replication_role = replica; TRUNCATE change, alternate_identifier, request, request_part, api_key, handle_user, identifier, naming_authority',
    );
    const failures: unknown[] = [];
    for (const [operation, { path, headers = {}, body }] of made) {
      const method = operation.split(' ')[0] ?? 'GET';
      const answer = await fetch(client.base + path, { method, headers, body: body ?? null, redirect: 'manual' });
      const text = await answer.text();
      if (answer.status >= 500 || text.includes('INTERNAL_ERROR')) failures.push([operation, answer.status, text]);
    }
    expect(failures).toEqual([]);
  });
});
