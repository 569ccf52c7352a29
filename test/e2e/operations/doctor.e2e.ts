import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Client } from '../harness/client.js';
import { type TestDatabase, createDatabase, query, startInstalled, withoutTriggers } from '../harness/database.js';
import { isOne, problemsOf, runDoctor } from '../harness/doctor.js';
import { freePort } from '../harness/free-port.js';
import { isInstalled } from '../harness/postgres.js';
import { runToEnd, startServer } from '../harness/server.js';

const MERGE_PATCH = { 'content-type': 'application/merge-patch+json', 'if-match': '*' };

const folder = mkdtempSync(join(tmpdir(), 'mintmark-doctor-'));
let closed: number;
const databases: TestDatabase[] = [];

beforeAll(async () => {
  closed = await freePort();
});
afterAll(async () => {
  for (const database of databases) await database.drop();
  rmSync(folder, { recursive: true });
});

async function database(template?: string): Promise<string> {
  const made = await createDatabase(template);
  databases.push(made);
  return made.url;
}

const run = (variables: Record<string, string>, args: readonly string[]) =>
  runDoctor({ folder, port: closed }, variables, args);
const problems = (variables: Record<string, string>, ...args: string[]) =>
  problemsOf({ folder, port: closed }, variables, ...args);

describe('mintmark doctor', () => {
  it('finds nothing in a sound installation, with the records of all identifiers, and writes nothing', async () => {
    const url = await database();
    const server = await startServer({ DATABASE_URL: url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102,20.1:handle' });
    const client = new Client(server.url);
    const minted = async (body: object) => {
      const { status, body: record } = await client.post('/identifiers', body);
      expect([body, status]).toEqual([body, 201]);
      return `/identifiers/${(record as { identifier: string }).identifier}`;
    };
    const cordra = { namingAuthority: '100.102' };
    const first = await minted({
      ...cordra,
      metadataId: 'demo:5',
      target: 'https://repo.example.org/5',
      language: 'en',
    });
    await minted({
      ...cordra,
      alternateIds: ['hdl:10.5/ABC', 'urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5'],
      previousVersion: first.slice(13),
    });
    await minted({ namingAuthority: '20.1', localName: 'Über/x', metadataId: 'hdl:20.9/y' });
    const withdrawn = await minted({ ...cordra, metadataId: 'demo:6' });
    for (const target of ['https://repo.example.org/7', null]) {
      expect((await client.send('PATCH', first, MERGE_PATCH, JSON.stringify({ target }))).status).toBe(200);
    }
    const withdrawal = await client.post(`${withdrawn}/withdraw`, { reasonCode: 'error', reason: 'A mistake.' });
    expect(withdrawal.status).toBe(200);

    const stateOf = () =>
      query(
        url,
        'SELECT xmin::text, version FROM identifier UNION ALL SELECT xmin::text, version FROM change ORDER BY 1, 2',
      );
    const before = await stateOf();
    const { status, stdout } = await run({ DATABASE_URL: url, PORT: new URL(server.url).port }, ['--records', '200']);
    expect(stdout).not.toMatch(/^(warning|error)/m);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ok +service: The service at http:\/\/127\.0\.0\.1:\d+ is ready\.$/m);
    expect(stdout).toMatch(
      /^ok +records: The records of 4 random identifiers have their histories, names and keys\.$/m,
    );
    await server.stop();
    expect(before.length).toBeGreaterThan(6);
    expect(await stateOf()).toEqual(before);
  });

  it('finds settings that are wrong', async () => {
    expect(await problems({ RESOLVER_SCHEME: 'ftp' })).toEqual(isOne('error', 'configuration', /RESOLVER_SCHEME/));
    expect((await problems({ DATABASE_URL: await database(), RATE_LIMIT: '3' })).status).toBe(0);
  });

  it('finds a database that cannot be reached', async () => {
    const url = `postgresql://postgres@127.0.0.1:${closed}/mintmark`;
    expect(await problems({ DATABASE_URL: url })).toEqual(isOne('error', 'database', /ECONNREFUSED.*Start PostgreSQL/));
  });

  it('finds a database that is read-only', async () => {
    const url = await database();
    const name = new URL(url).pathname.slice(1);
    await query(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const found = await problems({ DATABASE_URL: url });
    expect(found).toEqual(isOne('error', 'database', /is read-only.*Switch default_transaction_read_only off/));
  });

  it('says what helps when the database admits no further session, as a start does', async () => {
    const url = new URL(await database());
    const role = `limited_${process.pid}`;
    await query(url.href, `CREATE ROLE ${role} LOGIN CONNECTION LIMIT 0`);
    url.username = role;
    const words = /no further session: .*CONNECTION LIMIT.*max_connections/;
    expect(await problems({ DATABASE_URL: url.href })).toEqual(isOne('error', 'database', words));
    const { code, stderr } = await runToEnd({ DATABASE_URL: url.href, ACCESS: 'open' });
    expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
    expect(stderr).not.toContain('Start PostgreSQL');
  });

  it('finds another version of the collation, and names each index in its order', async () => {
    const url = await database();
    await query(url, "UPDATE pg_database SET datcollversion = '0' WHERE datname = current_database()");
    const { found } = await problems({ DATABASE_URL: url });
    expect(found.map(({ check, state }) => [check, state])).toEqual([['collation', 'warning']]);
    const name = new URL(url).pathname.slice(1);
    expect(found[0]!.detail).toMatch(/ Run REINDEX INDEX CONCURRENTLY _prisma_migrations_pkey; ALTER DATABASE /);
    expect(found[0]!.detail).toContain(`ALTER DATABASE "${name}" REFRESH COLLATION VERSION.`);
    await query(url, 'REINDEX INDEX CONCURRENTLY _prisma_migrations_pkey');
  });

  it('finds that the embedded database does not run, and creates no folder', async () => {
    const found = await problems({ DATA_DIR: join(folder, 'none') });
    expect(found).toEqual(isOne('warning', 'database', /does not run.*Start the service/));
    expect(existsSync(join(folder, 'none'))).toBe(false);
  });

  it('finds migrations that are missing, and does not examine the schema then', async () => {
    const { found, status } = await problems({ DATABASE_URL: await database('template0'), MIGRATE: 'off' });
    expect(status).toBe(1);
    expect(found.filter(({ check }) => ['migrations', 'schema'].includes(check))).toEqual([
      {
        check: 'migrations',
        state: 'error',
        detail: expect.stringMatching(/lacks .*_schema\. .*run "mintmark migrate"/),
      },
      { check: 'schema', state: 'warning', detail: 'This was not examined, because migrations are missing.' },
    ]);
  });

  const LATER = `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
                 VALUES ('later', 'x', '20990101000000_later', now(), 1)`;
  const EXPIRING = `INSERT INTO api_key (id, client, secret_hash, scopes, expires_at, created_by)
                    VALUES ('0190e5a2-7b3c-4d8e-9f10-111213141516', 'repository', sha256('x'), '{read}', now() + interval '5 days', 'admin')`;
  it.each<[string, string, string, string, RegExp]>([
    ['a schema of a later version', LATER, 'error', 'migrations', /newer than this version.*20990101000000_later/],
    [
      'an index that is missing',
      'DROP INDEX identifier_target_idx',
      ...(['error', 'schema'] as const),
      /index identifier\.identifier_target_idx is missing.* run: CREATE INDEX CONCURRENTLY identifier_target_idx ON identifier/,
    ],
    [
      'a column with a foreign collation',
      'ALTER TABLE api_key ALTER COLUMN client TYPE text COLLATE ucs_basic',
      ...(['error', 'schema'] as const),
      /column api_key\.client is "text collate ucs_basic not null", not "text collate C not null"/,
    ],
    [
      'a trigger that is disabled',
      'ALTER TABLE change DISABLE TRIGGER change_kept',
      ...(['error', 'schema'] as const),
      /trigger change\.change_kept is ".* \(disabled\)"/,
    ],
    [
      'a trigger of another program',
      `CREATE TRIGGER audit BEFORE INSERT ON identifier FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
      ...(['error', 'schema'] as const),
      /trigger identifier\.audit is not part of Mintmark.*Drop it/,
    ],
    [
      'a function that was changed',
      'CREATE OR REPLACE FUNCTION feed_horizon() RETURNS BIGINT LANGUAGE sql STABLE RETURN pg_snapshot_xmax(pg_current_snapshot())::text::bigint',
      ...(['error', 'schema'] as const),
      /function feed_horizon\(\) is "/,
    ],
    [
      'a constraint that is missing',
      'ALTER TABLE identifier DROP CONSTRAINT identifier_state_check',
      ...(['error', 'schema'] as const),
      /constraint identifier\.identifier_state_check is missing/,
    ],
    ['a key that expires', EXPIRING, 'warning', 'keys', /0190e5a2.* of "repository" expires on 20.*Create another key/],
  ])('finds %s', async (_what, sql, state, check, detail) => {
    const url = await database();
    await query(url, sql);
    expect(await problems({ DATABASE_URL: url })).toEqual(isOne(state, check, detail));
  });

  it('finds a right that the role lacks', async () => {
    const url = new URL(await database());
    const role = `doctor_${process.pid}`;
    const rights = [
      'GRANT SELECT ON ALL TABLES IN SCHEMA public',
      'GRANT INSERT, UPDATE ON identifier, naming_authority, api_key',
      'GRANT SELECT, UPDATE ON SEQUENCE identifier_id_seq, naming_authority_id_seq',
    ];
    await query(url.href, [`CREATE ROLE ${role} LOGIN`, ...rights.map((right) => `${right} TO ${role}`)].join(';'));
    url.username = role;
    const { status, found } = await problems({ DATABASE_URL: url.href, MIGRATE: 'off' });
    expect([status, found.map(({ check }) => check)]).toEqual([1, ['rights']]);
    expect(found[0]!.detail).toMatch(
      new RegExp(
        `"${role}" lacks DELETE, INSERT on alternate_identifier; INSERT on change; .*INSERT on name_rule; .*roles\\.sql`,
      ),
    );
  });

  it('finds a clock that is off by a day, on either side', async () => {
    const url = await database();
    const clock = join(folder, 'clock.mjs');
    writeFileSync(clock, 'const now = Date.now; Date.now = () => now() - 86400000;');
    const late = await problems({ DATABASE_URL: url, NODE_OPTIONS: `--import=${clock}` });
    expect(late).toEqual(
      isOne('error', 'clock', /database is 86\d{3}(\.\d+)? s ahead of the clock of this machine.*NTP/),
    );
    await startAndMint(url);
    await query(withoutTriggers(url), "UPDATE identifier SET created_at = now() + interval '1 day'");
    // The clocks agree again.
    expect(await problems({ DATABASE_URL: url })).toEqual(
      isOne('warning', 'clock', /newest identifier has the time 20\S+Z, .*Both clocks agree.*set nothing/),
    );
  });

  it('draws the records from all identifiers, up to the newest ones', async () => {
    const url = await database();
    await startAndMint(url);
    await query(
      url,
      `INSERT INTO identifier (naming_authority_id, guid, client, position, is_first_event)
       SELECT naming_authority_id, gen_random_uuid(), client, position, true FROM identifier, generate_series(1, 999)`,
    );
    await query(
      withoutTriggers(url),
      'UPDATE identifier SET is_first_event = false WHERE id > (SELECT max(id) - 100 FROM identifier)',
    );
    const { status, found } = await problems({ DATABASE_URL: url }, '--records', '400');
    const { detail } = found.find(({ detail: text }) => text.includes('differences were found')) ?? { detail: '' };
    const [differences = 0, identifiers = 0] = (detail.match(/\d+/g) ?? []).map(Number);
    expect([status, detail]).toEqual([1, expect.stringContaining('random identifiers')]);
    // 400 draws have 330 of 1,000 identifiers, and 33 of the last 100.
    expect(identifiers).toBeGreaterThan(270);
    expect(differences).toBeGreaterThan(10);
    expect(differences).toBeLessThan(70);
  });

  it('finds rows that were changed without their history, and keys that are wrong', async () => {
    const url = await database();
    await startAndMint(url);
    await query(
      withoutTriggers(url),
      "UPDATE identifier SET target = 'https://other.example.org/', is_first_event = false, version = 3",
    );
    const { status, found } = await problems({ DATABASE_URL: url }, '--records', '5');
    expect([status, found[0]]).toEqual([
      1,
      expect.objectContaining({ check: 'records', detail: expect.stringContaining('it has no event') }),
    ]);
    await query(
      withoutTriggers(url),
      `INSERT INTO change (position, identifier_id, naming_authority_id, version, kind, client, patch)
       SELECT 1, id, naming_authority_id, 3, 'imported', 'x', '[{"op":"add","path":"","value":{"state":"active","target":"https://repo.example.org/1","metadataId":"info:fedora/demo:1","alternateIds":[]}}]' FROM identifier;
       UPDATE identifier SET metadata_key = gen_random_uuid()`,
    );
    const details = (await problems({ DATABASE_URL: url }, '--records', '5')).found.map(({ detail }) => detail);
    expect(details).toEqual([
      expect.stringMatching(
        /^100\.102\/[0-9A-F]{32}: "target" of the row differs from the value in its events\. .* compare with a backup/,
      ),
      expect.stringMatching(/^100\.102\/[0-9A-F]{32}: it cannot be found by its metadata ID/),
      '2 differences were found in 1 random identifiers.',
    ]);
  });

  it('finds a sequence that is behind its rows', async () => {
    const url = await database();
    await startAndMint(url);
    await query(url, "SELECT setval('identifier_id_seq', 1, false)");
    expect(await problems({ DATABASE_URL: url })).toEqual(
      isOne('error', 'positions', /higher numbers than identifier_id_seq.*Restart the service/),
    );
  });

  it('finds a transaction that delays the feed', async () => {
    const url = await database();
    const session = new pg.Client({ connectionString: url, application_name: 'report' });
    await session.connect();
    await session.query('BEGIN; SELECT pg_current_xact_id()');
    await query(url, 'SELECT pg_current_xact_id()');
    expect(await problems({ DATABASE_URL: url })).toEqual(
      isOne('warning', 'feed', /process \d+ \(report, since .*pg_terminate_backend/),
    );
    await session.end();
  });

  it('finds a replica of another database', async () => {
    const [url, other] = [await database(), await database()];
    const found = await problems({ DATABASE_URL: url, READ_DATABASE_URL: other });
    expect(found).toEqual(isOne('error', 'replication', /leads to another database.*Name a standby/));
  });

  (process.getuid?.() === 0 && process.platform === 'linux' ? it : it.skip)('finds a disk that is full', async () => {
    const mount = join(folder, 'full');
    mkdirSync(mount);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mount]);
    try {
      execFileSync('dd', ['if=/dev/zero', `of=${mount}/file`, 'bs=1024', 'count=1020'], { stdio: 'ignore' });
      const { status, found } = await problems({ DATA_DIR: mount });
      expect([status, found[0]]).toEqual([
        1,
        { check: 'disk', state: 'error', detail: expect.stringMatching(/0\.000 GiB of free space\. Add space/) },
      ]);
    } finally {
      execFileSync('umount', [mount]);
    }
  });

  (isInstalled(15) ? it : it.skip)('finds the same schema in PostgreSQL 15', async () => {
    const postgres = await startInstalled(15);
    try {
      expect(await problems({ DATABASE_URL: postgres.url })).toEqual({ status: 0, found: [] });
    } finally {
      await postgres.stop();
    }
  });
});

/** Mints one identifier by a service that stops. */
async function startAndMint(url: string): Promise<void> {
  const server = await startServer({ DATABASE_URL: url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' });
  const body = { namingAuthority: '100.102', metadataId: 'demo:1', target: 'https://repo.example.org/1' };
  expect((await new Client(server.url).post('/identifiers', body)).status).toBe(201);
  await server.stop();
}
