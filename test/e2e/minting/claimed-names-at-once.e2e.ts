import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { ndjson, linesIn } from '../harness/changes.js';
import { Client } from '../harness/client.js';
import { curationOf } from '../harness/curation.js';
import { query } from '../harness/database.js';
import { type TestServer, startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

// Two processes on one database: the names are locked in PostgreSQL.
const service = useService();
let second: { server: TestServer; client: Client };
beforeAll(async () => {
  const server = await startServer({ DATABASE_URL: service.database.url, ACCESS: 'open' });
  second = { server, client: new Client(server.url) };
});
afterAll(async () => {
  await second.server.stop();
});

const freshGuid = () => randomUUID().replaceAll('-', '').toUpperCase();
const NA = '100.102';
const lined = async (client: Client, path: string, lines: readonly object[]): Promise<number[]> => {
  const headers = { 'content-type': 'application/x-ndjson' };
  const answer = await fetch(client.base + path, { method: 'POST', headers, body: ndjson(...lines) });
  return linesIn(await answer.text()).map(({ status }: { status: number }) => status);
};
const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };

/** Ways to register names: the statuses, in the order of the GUIDs. */
const REGISTER: Record<string, (client: Client, guids: readonly string[]) => Promise<number[]>> = {
  'single mints': async (client, guids) => Promise.all(guids.map(async (guid) => (await client.mint({ guid })).status)),
  'a batch': async (client, guids) => {
    const { body } = await client.post('/identifiers/batch', {
      namingAuthority: NA,
      items: guids.map((guid) => ({ guid })),
    });
    return body.items.map(({ status }: { status: number }) => status);
  },
  'a stream': (client, guids) =>
    lined(
      client,
      `/identifiers/bulk?namingAuthority=${NA}`,
      guids.map((guid) => ({ guid })),
    ),
  'an import': (client, guids) =>
    lined(
      client,
      '/identifiers/import',
      guids.map((guid) => ({ identifier: `${NA}/${guid}`, state: 'active', version: 1, ...times })),
    ),
};

const alternatesOf = (guid: string) => ({ alternateIds: [`demo:${guid}`, `hdl:${NA}/${guid}`] });

/** Ways to claim names by alternates of other identifiers, in the reverse order of the registrations. */
const CLAIM: Record<string, (client: Client, guids: readonly string[]) => Promise<number[]>> = {
  'single mints': async (client, guids) =>
    Promise.all(
      guids.map(async (guid) => (await client.mint({ namingAuthority: '2000.01', ...alternatesOf(guid) })).status),
    ),
  'a batch': async (client, guids) => {
    const items = guids.map((guid) => ({ namingAuthority: '2000.01', ...alternatesOf(guid) })).reverse();
    const { body } = await client.post('/identifiers/batch', { items });
    return body.items.map(({ status }: { status: number }) => status).reverse();
  },
  changes: async (client, guids) => {
    const minted = await client.post('/identifiers/batch', { namingAuthority: '2000.01', count: guids.length });
    const lines = guids.map((guid, at) => ({ identifier: minted.body.items[at].identifier, ...alternatesOf(guid) }));
    return (await lined(client, '/identifiers/changes', lines.reverse())).reverse();
  },
  patches: async (client, guids) =>
    Promise.all(
      guids.map(async (guid) => {
        const { body } = await client.mint({ namingAuthority: '2000.01' });
        const headers = { 'content-type': 'application/json', 'if-match': '*' };
        const text = JSON.stringify(alternatesOf(guid));
        return (await client.send('PATCH', `/identifiers/${body.identifier}`, headers, text)).status;
      }),
    ),
  upserts: async (client, guids) =>
    Promise.all(
      guids.map(async (guid) => {
        await client.mint({ namingAuthority: '2000.01', metadataId: `demo:${guid}` });
        const upsert = { metadataId: `demo:${guid}`, onExisting: 'update', ...alternatesOf(guid) };
        return (await client.mint({ namingAuthority: '2000.01', ...upsert })).status;
      }),
    ),
  'an import': (client, guids) =>
    lined(
      client,
      '/identifiers/import',
      guids
        .map((guid) => ({
          identifier: `2000.01/${freshGuid()}`,
          state: 'active',
          version: 1,
          ...times,
          ...alternatesOf(guid),
        }))
        .reverse(),
    ).then((statuses) => statuses.reverse()),
};

const PAIRS = Object.keys(REGISTER).flatMap((one) => Object.keys(CLAIM).map((other) => [one, other] as const));

/** The names of a list that are registered, and those that an alternate has; read in the database. */
async function stored(guids: readonly string[]): Promise<{ registered: number; claimed: number; both: number }> {
  const [row] = await query<{ registered: number; claimed: number; both: number }>(
    service.database.url,
    `SELECT count(*) FILTER (WHERE r)::int AS registered, count(*) FILTER (WHERE c)::int AS claimed, count(*) FILTER (WHERE r AND c)::int AS both
     FROM (SELECT EXISTS (SELECT FROM identifier i WHERE i.guid = g.guid) AS r,
                  EXISTS (SELECT FROM identifier i WHERE 'hdl:${NA}/' || upper(replace(g.guid::text, '-', '')) = ANY (i.alternate_ids)) AS c
           FROM unnest($1::uuid[]) AS g(guid)) s`,
    [guids],
  );
  return row!;
}

describe('of a registration and a claim of one name at once, exactly one succeeds', () => {
  it.each(PAIRS)('registered by %s, claimed by %s', async (one, other) => {
    for (let round = 0; round < 3; round++) {
      const guids = Array.from({ length: 24 }, freshGuid);
      const both = [REGISTER[one]!(service.client, guids), CLAIM[other]!(second.client, guids)] as const;
      const [registered, claimed] = await Promise.all(both);
      const isDone = (status: number | undefined) => status === 200 || status === 201;
      const outcomes = guids.map((_, at) => [registered[at], claimed[at]].map(isDone).filter(Boolean).length);
      expect(outcomes).toEqual(guids.map(() => 1));
      const [isRejected] = [registered, claimed].flat().filter((status) => !isDone(status) && status !== 409);
      expect(isRejected).toBeUndefined();
      expect(await stored(guids)).toMatchObject({ registered: registered.filter(isDone).length, both: 0 });
    }
  });

  it('in one process, where both are coalesced into one statement', async () => {
    for (let round = 0; round < 10; round++) {
      const guids = Array.from({ length: 40 }, freshGuid);
      const answers = await Promise.all(
        guids.flatMap((guid) => [
          service.client.mint({ guid }),
          service.client.mint({ namingAuthority: '2000.01', ...alternatesOf(guid) }),
        ]),
      );
      const statuses = guids.map((_, at) => [answers[2 * at]!.status, answers[2 * at + 1]!.status].sort());
      expect(statuses).toEqual(guids.map(() => [201, 409]));
      expect((await stored(guids)).both).toBe(0);
    }
  });

  it('by large batches in opposite orders, which do not wait for each other', async () => {
    const guids = Array.from({ length: 1500 }, freshGuid);
    const batches = await Promise.all([
      service.client.post('/identifiers/batch', { namingAuthority: NA, items: guids.map((guid) => ({ guid })) }),
      second.client.post('/identifiers/batch', {
        namingAuthority: '2000.01',
        items: guids.map(alternatesOf).reverse(),
      }),
    ]);
    const [registered, claimed] = batches.map(
      ({ body }) => body.items.filter((each: any) => each.status === 201).length,
    );
    expect(Number(registered) + Number(claimed)).toBe(1500);
    expect((await stored(guids)).both).toBe(0);
    const statistics = 'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()';
    expect(await query(service.database.url, statistics)).toEqual([{ deadlocks: 0 }]);
  });
});

describe('the lock of a name', () => {
  const { minted, patch } = curationOf(service);

  /** Runs a function while another session holds all locks of names alone. */
  async function whileLocked(work: () => Promise<void>): Promise<void> {
    const client = new pg.Client({ connectionString: service.database.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT count(pg_advisory_xact_lock(5136749, n)) FROM generate_series(0, 511) AS n');
    try {
      await work();
    } finally {
      await client.query('ROLLBACK');
      await client.end();
    }
  }

  it('is taken neither by mints with generated names nor by changes without claims', async () => {
    const { path } = await minted({ alternateIds: ['demo:lock-1'] });
    const prefix = '777';
    const fields = { namingAuthority: prefix, profile: 'handle', storesHandleValues: true };
    expect((await service.client.post('/naming-authorities', fields)).status).toBe(201);
    const reserved = { state: 'reserved', leaseUntil: new Date(Date.now() + 600_000).toISOString() };
    await whileLocked(async () => {
      const answers = await Promise.all([
        service.client.mint(),
        service.client.mint({ mintMetadataId: true, alternateIds: ['hdl:11858/foreign', 'demo:lock-2'] }),
        service.client.mint({ namingAuthority: prefix }),
        service.client.mint(reserved),
        service.client.post('/reservations', { namingAuthority: NA, count: 3, leaseUntil: reserved.leaseUntil }),
        service.client.post('/identifiers/batch', { namingAuthority: NA, count: 600 }),
        patch(path, { target: 'https://example.org/', alternateIds: ['demo:lock-1', 'demo:lock-3'] }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 200, 200]);
      expect(await lined(service.client, `/identifiers/bulk?namingAuthority=${NA}`, [{}, {}])).toEqual([201, 201]);
    });
  });

  it('is looked for by no function in the statement of a mint with a generated name', async () => {
    const url = service.database.url;
    const name = new URL(url).pathname.slice(1);
    await query(url, `ALTER DATABASE ${name} SET track_functions = 'pl'`);
    // The sessions of the service take the setting when they begin.
    await query(
      url,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    const calls = async () => {
      const called =
        "SELECT coalesce(sum(calls), 0)::int AS n FROM pg_stat_user_functions WHERE funcname IN ('taken_names', 'lock_names')";
      return (await query<{ n: number }>(url, called))[0]!.n;
    };
    const until = async (isEnough: (n: number) => boolean) => {
      for (let attempt = 0; attempt < 50 && !isEnough(await calls()); attempt++) {
        // A session reports its calls at the earliest after a second.
        await pause(100);
        await service.client.mint();
      }
      return calls();
    };
    await service.client.post('/identifiers/batch', {
      namingAuthority: NA,
      items: [{}, { alternateIds: ['demo:call-1'] }],
    });
    expect(await until((n) => n > 0)).toBe(0);
    expect((await service.client.mint({ guid: freshGuid() })).status).toBe(201);
    expect(await until((n) => n > 0)).toBe(2);
  });

  it('is waited for by a registration and a claim, which end with 503 when it is not granted in time', async () => {
    await whileLocked(async () => {
      const { path } = await minted();
      const answers = await Promise.all([
        service.client.mint({ guid: freshGuid() }),
        service.client.mint({ alternateIds: [`${NA}/${freshGuid()}`] }),
        patch(path, { alternateIds: [`${NA}/${freshGuid()}`] }),
      ]);
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
        [503, 'CONFLICT_IN_PROGRESS'],
        [503, 'CONFLICT_IN_PROGRESS'],
        [503, 'CONFLICT_IN_PROGRESS'],
      ]);
    });
  });
});
