import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Client } from '../harness/client.js';
import { type TestDatabase, createDatabase, query } from '../harness/database.js';
import { type SeenEvent, followLog, readLog } from '../harness/log-reader.js';
import { type TestServer, startServer } from '../harness/server.js';
import { sendLines } from '../harness/stream.js';

/**
 * The log as it was written before an identifier could be its own first event: a row for each mint and each change, in
 * the transaction that made it. Rows of `change` that repeat the first event of an identifier are left out.
 */
const SHADOW = `
  CREATE TABLE shadow (position bigint, ordinal bigint, identifier_id bigint, naming_authority text, version int, kind text,
                       client text, key_id uuid, at timestamptz, document jsonb);
  CREATE FUNCTION shadow_mint() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.is_first_event THEN
      INSERT INTO shadow (position, ordinal, identifier_id, naming_authority, version, kind, client, key_id, at, document)
      VALUES (pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset), NEW.id, NEW.id, (SELECT prefix FROM naming_authority WHERE id = NEW.naming_authority_id), NEW.version,
              CASE WHEN NEW.lease_until IS NOT NULL THEN 'reserved' WHEN NEW.registered THEN 'registered' ELSE 'minted' END,
              NEW.client, NEW.key_id, NEW.created_at,
              jsonb_build_object('metadataId', NEW.metadata_id, 'target', NEW.target, 'language', NEW.language, 'alternateIds', coalesce(NEW.alternate_ids, '{}'), 'previousVersion', NEW.previous_version, 'handleValues', NULL,
                                 'state', NEW.state, 'tombstone', NULL));
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER shadow_mint AFTER INSERT ON identifier FOR EACH ROW EXECUTE FUNCTION shadow_mint();
  CREATE FUNCTION shadow_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.identifier_id IS NULL OR NEW.kind NOT IN ('minted', 'registered', 'reserved') THEN
      INSERT INTO shadow (position, ordinal, identifier_id, naming_authority, version, kind, client, key_id, at, document)
      VALUES (pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset), NEW.id, NEW.identifier_id,
              (SELECT prefix FROM naming_authority WHERE id = NEW.naming_authority_id), NEW.version, NEW.kind, NEW.client, NEW.key_id, NEW.at, NULL);
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER shadow_change AFTER INSERT ON change FOR EACH ROW EXECUTE FUNCTION shadow_change();`;

const STEPS = 60;
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json', 'if-match': '*' };

let database: TestDatabase;
const servers: TestServer[] = [];

beforeAll(async () => {
  database = await createDatabase();
  const variables = {
    ...{ DATABASE_URL: database.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' },
    RESERVATION_SWEEP_INTERVAL_MS: '200',
  };
  servers.push(await startServer(variables));
  await query(database.url, SHADOW);
  servers.push(await startServer(variables), await startServer(variables));
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  await database.drop();
});

const soon = () => new Date(Date.now() + 1500).toISOString();
const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(Math.random() * items.length)];

/** The random steps of a history. Each returns the status of its last response. */
const stepsOf = (server: TestServer, known: string[]): Record<string, () => Promise<number>> => {
  const client = new Client(server.url);
  const name = () => `demo:${randomUUID()}`;
  const mint = async (fields: object) => {
    const { status, body } = await client.mint(fields);
    if (status === 201) known.push(body.identifier);
    return status;
  };
  const path = `/identifiers/${encodeURIComponent(pick(known) ?? 'none')}`;
  const patch = async (changes: object) =>
    (await client.send('PATCH', path, MERGE_PATCH, JSON.stringify(changes))).status;
  const batch = async (mode: string) => {
    const items = Array.from({ length: 5 }, (_, i) => ({
      ...{ namingAuthority: '100.102', mintMetadataId: i % 2 === 0 },
      ...(i === 3 && { alternateIds: [name()] }),
    }));
    const { status, body } = await client.post(`/identifiers/batch?mode=${mode}`, { items });
    return status === 200 ? body.items[4].status : status;
  };
  const reserve = async (activate: boolean) => {
    const { body, status } = await client.post('/reservations', {
      ...{ namingAuthority: '100.102', count: 3, leaseUntil: soon() },
    });
    return activate ? (await client.post(`/reservations/${body.id}/activate`, {})).status : status;
  };
  const withdraw = async () =>
    (await client.post(`${path}/withdraw`, { reason: 'a test' }, { 'if-match': '*' })).status;
  return {
    mint: () => mint({ target: `https://a.example/${randomUUID()}?q=%22'` }),
    mintPair: () => mint({ mintMetadataId: true, alternateIds: [name(), name()] }),
    register: () => mint({ guid: randomUUID().replaceAll('-', ''), metadataId: name() }),
    lease: () => mint({ state: 'reserved', leaseUntil: soon(), metadataId: name() }),
    batch: () => batch('perItem'),
    atomicBatch: () => batch('atomic'),
    stream: async () => {
      const lines = `{}\n${JSON.stringify({ metadataId: name() })}\n`.repeat(10);
      const url = `${server.url}/identifiers/bulk?namingAuthority=100.102`;
      return (await sendLines(url, lines, { 'idempotency-key': name() }))[1].status;
    },
    reserve: () => reserve(false),
    activate: () => reserve(true),
    changeTarget: () => patch({ target: `https://b.example/${randomUUID()}` }),
    changeNames: () => patch({ alternateIds: [name()], metadataId: name() }),
    withdraw,
    reinstate: async () => {
      await withdraw();
      return (await client.post(`${path}/reinstate`, {}, { 'if-match': '*' })).status;
    },
  };
};

const readable = ({ kind, namingAuthority, identifier, version, ...event }: any) => ({
  ...{ kind, namingAuthority, identifier, version },
  ...{ at: event.at, client: event.client, keyId: event.keyId },
});

describe('an identifier that is its own first event', () => {
  it('has the place and the content of the former row of the log, over random histories with three services and a kill', async () => {
    const [reading, ...writing] = servers as [TestServer, TestServer, TestServer];
    const client = new Client(reading.url);
    const follower = followLog(client);
    const known: string[] = [];
    const succeeded = new Set<string>();
    const run = async (server: TestServer) => {
      for (let i = 0; i < STEPS; i++) {
        const [kind, step] = pick(Object.entries(stepsOf(server, known)))!;
        // A failed request, as of the killed service, is part of the history.
        const status = await step().catch(() => 0);
        if (status >= 200 && status < 300) succeeded.add(kind);
      }
    };
    const runs = [run(writing[0]), run(writing[0]), run(writing[1]), run(reading)];
    await pause(1500);
    await writing[1].stop('SIGKILL');
    await Promise.all(runs);
    expect([...succeeded].sort()).toEqual(Object.keys(stepsOf(reading, known)).sort());
    // Leases end, and the sweep records it.
    while ((await query(database.url, "SELECT 1 FROM identifier WHERE state = 'reserved' LIMIT 1")).length > 0)
      await pause(100);

    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    const { rows } = await admin.query(
      `SELECT s.*, i.guid FROM shadow s LEFT JOIN identifier i ON i.id = s.identifier_id ORDER BY s.position, s.ordinal`,
    );
    await admin.end();
    const { events } = await readLog(client);
    const followed = await follower.stop();
    expect(followed.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);

    // The naming authority was created before the shadow.
    const shown = (events as (SeenEvent & { document?: unknown })[]).filter(({ kind }) => kind !== 'created');
    expect(rows.length).toBeGreaterThan(200);
    expect(shown.map(readable)).toEqual(
      rows.map((row) =>
        readable({
          ...{ kind: row.kind, namingAuthority: row.naming_authority, version: row.version },
          identifier: `100.102/${row.guid.replaceAll('-', '').toUpperCase()}`,
          ...{ at: row.at.toISOString(), client: row.client, keyId: row.key_id },
        }),
      ),
    );
    const documents = shown.flatMap(({ version, patch }) => {
      const { leaseUntil, ...document } = (patch[0]?.value ?? {}) as { leaseUntil?: unknown };
      expect(version > 1 || leaseUntil === null || typeof leaseUntil === 'string').toBe(true);
      return version === 1 ? [document] : [];
    });
    expect(documents).toEqual(rows.filter(({ version }) => version === 1).map(({ document }) => document));
    const kinds = new Set(shown.map(({ kind }) => kind));
    for (const kind of ['minted', 'registered', 'reserved', 'activated', 'lapsed', 'changed', 'withdrawn'])
      expect(kinds).toContain(kind);
  }, 120_000);

  it('has the same place in the log before and after its first change', async () => {
    const client = new Client(servers[0]!.url);
    const { next } = await readLog(client);
    const minted = await client.mint({ mintMetadataId: true });
    await client.mint();
    const before = (await readLog(client, next)).events;
    expect(before.map(({ identifier }) => identifier).slice(0, 2)).toEqual([
      minted.body.identifier,
      minted.body.metadataRecord.identifier,
    ]);
    const path = `/identifiers/${encodeURIComponent(minted.body.identifier)}`;
    expect((await client.send('PATCH', path, MERGE_PATCH, '{"target":"https://c.example/"}')).status).toBe(200);
    const after = (await readLog(client, next)).events;
    expect(after.slice(0, 3)).toEqual(before);
    expect(after.slice(3).map(({ version, kind }) => [version, kind])).toEqual([[2, 'changed']]);
    expect((await readLog(client, before[0]!.id)).events).toEqual(after.slice(1));
  });

  it('precedes its metadata record, and both precede the next object of a batch', async () => {
    const client = new Client(servers[0]!.url);
    const { next } = await readLog(client);
    const items = [true, false, true].map((mintMetadataId, i) => ({
      ...{ namingAuthority: '100.102', mintMetadataId, alternateIds: [`demo:batch-${i}`] },
    }));
    const { body } = await client.post('/identifiers/batch', { items });
    const minted = body.items.flatMap(({ record: object, metadataRecord }: any) =>
      [object, metadataRecord].flatMap((record) => (record ? [record.identifier] : [])),
    );
    expect(minted).toHaveLength(5);
    expect((await readLog(client, next)).events.map(({ identifier }) => identifier)).toEqual(minted);
  });
});
