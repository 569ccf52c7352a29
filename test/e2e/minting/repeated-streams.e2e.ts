import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { PATH } from '../harness/bulk.js';
import { query, withoutTriggers } from '../harness/database.js';
import { freshGuid, freshMetadataId, freshPid } from '../harness/fresh-names.js';
import { useService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const service = useService();

const ask = <T extends pg.QueryResultRow>(sql: string, values: unknown[] = []) =>
  query<T>(service.database.url, sql, values);

/** Sends lines as one stream. */
const bulk = (lines: readonly object[], key: string) =>
  sendLines(service.server.url + PATH, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), {
    'idempotency-key': key,
  });

/** Moves the metadata ID of an identifier away. */
const removeMetadataId = (identifier: string) =>
  service.client.send(
    'PATCH',
    `/identifiers/${identifier}`,
    { 'content-type': 'application/json', 'if-match': '*' },
    '{"metadataId":null,"alternateIds":[]}',
  );

describe('a stream that is sent again', () => {
  it('returns the same identifier for a line, although its metadata ID has been removed', async () => {
    const key = randomUUID();
    const lines = Array.from({ length: 700 }, (_, i) => (i % 7 === 0 ? { metadataId: freshMetadataId() } : {}));
    const known = await Promise.all(lines.filter((_, i) => i % 7 === 0).map((line) => service.client.mint(line)));
    const first = await bulk(lines, key);
    expect(first.map(({ status }) => status)).toEqual(lines.map((_, i) => (i % 7 === 0 ? 200 : 201)));
    for (const { body } of known) expect((await removeMetadataId(body.identifier)).status).toBe(200);
    const again = await bulk(lines, key);
    expect(again.map(({ line, status, identifier }) => [line, status, identifier])).toEqual(
      first.map(({ line, status, identifier }) => [line, status, identifier]),
    );
  });

  it('returns the same rejection for a line with a name of another identifier', async () => {
    const key = randomUUID();
    const [metadataId, alternate, guid] = [freshMetadataId(), freshPid(), freshGuid()];
    const holder = await service.client.mint({ metadataId, alternateIds: [alternate] });
    await service.client.mint({ guid });
    const lines = [
      { metadataId, onExisting: 'reject', clientRef: 'a' },
      { alternateIds: [alternate] },
      { guid },
      { metadataId: freshMetadataId() },
    ];
    const first = await bulk(lines, key);
    expect(first.map(({ status, problem }) => [status, problem?.code])).toEqual([
      [409, 'METADATA_ID_TAKEN'],
      [409, 'ALTERNATE_ID_TAKEN'],
      [409, 'GUID_TAKEN'],
      [201, undefined],
    ]);
    await removeMetadataId(holder.body.identifier);
    const [before] = await ask<{ n: number }>('SELECT count(*)::int AS n FROM identifier');
    expect(await bulk(lines, key)).toEqual(first);
    const changed = await bulk([{ ...lines[0], clientRef: 'b' }], key);
    expect([changed[0].status, changed[0].problem.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await ask('SELECT count(*)::int AS n FROM identifier')).toEqual([before]);
  });

  it('mints a line that was rejected because its previous version was not registered, once it is', async () => {
    const key = randomUUID();
    const previousVersion = `100.102/${freshGuid()}`;
    const first = await bulk([{ previousVersion }], key);
    expect([first[0].status, first[0].problem.code]).toEqual([422, 'INVALID_PREDECESSOR']);
    await service.client.mint({ guid: previousVersion.split('/')[1] });
    const again = await bulk([{ previousVersion }], key);
    expect([again[0].status, again[0].record.previousVersion]).toEqual([201, `hdl:${previousVersion}`]);
    const third = await bulk([{ previousVersion }], key);
    expect(third[0].identifier).toBe(again[0].identifier);
  });

  it('line by line, and in other pieces than before, returns the same', async () => {
    const key = randomUUID();
    const metadataIds = Array.from({ length: 20 }, freshMetadataId);
    for (const metadataId of metadataIds) await service.client.mint({ metadataId });
    const lines = metadataIds.map((metadataId) => ({ metadataId }));
    const first: any[] = [];
    // A repeat begins at line 1, so each of these adds one line to the known ones.
    for (let sent = 1; sent <= lines.length; sent++) first.push((await bulk(lines.slice(0, sent), key)).at(-1));
    for (const { identifier } of first) await removeMetadataId(identifier);
    const again = await bulk(lines, key);
    expect(again.map(({ status, identifier }) => [status, identifier])).toEqual(
      first.map(({ identifier }) => [200, identifier]),
    );
  });

  it('writes nothing to the log of the database', async () => {
    const key = randomUUID();
    const lines = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? { metadataId: freshMetadataId() } : {}));
    for (const line of lines.filter(({ metadataId }) => metadataId !== undefined)) await service.client.mint(line);
    await bulk(lines, key);
    await ask('VACUUM ANALYZE');
    await bulk(lines, key);
    const used: number[] = [];
    for (let attempt = 0; attempt < 5 && !used.includes(1); attempt++) {
      const [before] = await ask<{ number: string }>('SELECT pg_current_xact_id()::text AS number');
      for (let i = 0; i < 5; i++) await bulk(lines, key);
      const [after] = await ask<{ number: string }>('SELECT pg_current_xact_id()::text AS number');
      used.push(Number(after!.number) - Number(before!.number));
    }
    // A transaction that writes has a number; the query for it has one too. Those of other databases of the cluster have numbers of
    // the same sequence, so one attempt without them is enough.
    expect(Math.min(...used)).toBe(1);
  });

  it('stores the results of a chunk in few rows', async () => {
    const key = randomUUID();
    const metadataId = freshMetadataId();
    await service.client.mint({ metadataId });
    await bulk(
      Array.from({ length: 1000 }, () => ({ metadataId })),
      key,
    );
    const [row] = await ask<{ n: number }>('SELECT count(*)::int AS n FROM request_part WHERE key = $1', [key]);
    expect(row!.n).toBeLessThan(100);
    expect(row!.n).toBeGreaterThan(0);
  });
});

describe('a mint that finds an identifier by its metadata ID', () => {
  it('stores that with its Idempotency-Key before a repeat can mint', async () => {
    const metadataId = freshMetadataId();
    const headers = { 'idempotency-key': randomUUID() };
    await service.client.mint({ metadataId });
    // While the table is locked, results can be read but not written.
    const lock = new pg.Client({ connectionString: service.database.url });
    await lock.connect();
    await lock.query('BEGIN; LOCK TABLE request IN SHARE ROW EXCLUSIVE MODE');
    const first = service.client.mint({ metadataId }, headers);
    const blocked = async () =>
      (await ask("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"))
        .length;
    while ((await blocked()) === 0) await pause(10);
    const forget = 'UPDATE identifier SET metadata_id = NULL, metadata_key = NULL WHERE metadata_id = $1';
    await query(withoutTriggers(service.database.url), forget, [metadataId]);
    const second = service.client.mint({ metadataId }, headers);
    await pause(300);
    await lock.query('ROLLBACK');
    await lock.end();
    const answers = await Promise.all([first, second]);
    const third = await service.client.mint({ metadataId }, headers);
    expect(answers.map(({ status }) => status)).toEqual([third.status, third.status]);
    expect(answers.map(({ body }) => body.identifier)).toEqual([third.body.identifier, third.body.identifier]);
  });
});
