import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../../dist/database/migrations.js';
import { linesIn } from '../harness/changes.js';
import { Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { runDoctor } from '../harness/doctor.js';
import { readLog } from '../harness/log-reader.js';
import { Postgres, isInstalled } from '../harness/postgres.js';
import { inFuture } from '../harness/reservations.js';
import { type TestServer, runToEnd, startServer } from '../harness/server.js';

// Real: the roles of docs/how-to/use-your-own-postgresql.md, with the rights of docs/deployment/roles.sql.

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

const ADMIN = '4f1c0a7be29d83655e0b9a47d1c2f3861b7e5d094a6c8f20e3d1957b6a0c4f8e';
const admin = { authorization: `Bearer ${ADMIN}` };
const ndjson = { ...admin, 'content-type': 'application/x-ndjson' };

for (const major of [undefined, 15]) {
  const isThere = major === undefined || isInstalled(major);
  (isThere ? describe : describe.skip)(`on a PostgreSQL ${major ?? 18}`, () => {
    let postgres: Postgres;
    let server: TestServer | null = null;
    let client: Client;

    const urlOf = (role: string) => `postgresql://${role}:choose-a-password@127.0.0.1:${postgres.port}/mintmark`;
    const variables = (role: string) => ({
      ...{ DATABASE_URL: urlOf(role), READ_DATABASE_URL: urlOf('mintmark_reader'), MIGRATE: 'off' },
      ...{ ADMIN_API_KEY: ADMIN, NAMING_AUTHORITIES: '100.102,20.1000:handle', RESERVATION_SWEEP_INTERVAL_MS: '100' },
    });
    const grant = () => query(urlOf('mintmark'), read('docs/deployment/roles.sql'));
    /** The error of a start that must fail. */
    const rejection = async (role: string): Promise<string> => {
      const { code, stderr } = await runToEnd(variables(role), (child) => {
        setTimeout(() => child.kill(), 10_000).unref();
      });
      expect(code).toBe(1);
      return stderr;
    };
    const codeOf = (role: string, sql: string) =>
      query(urlOf(role), sql).then(
        () => 'done',
        (error: unknown) => (error as { code: string }).code,
      );

    beforeAll(async () => {
      postgres = await Postgres.start({ password: 'postgres', ...(major === undefined ? {} : { major }) });
      const blocks = read('docs/how-to/use-your-own-postgresql.md').matchAll(/^```sql\n(.*?)^```/gms);
      const statements = [...blocks].flatMap(([, sql]) => sql!.trim().split(';\n'));
      expect(statements.length).toBe(4);
      for (const statement of statements) await query(postgres.url, statement);
    }, 60_000);
    afterAll(async () => {
      await server?.stop();
      await postgres.stop();
    });

    describe('MIGRATE=off', () => {
      it('names the missing migration and creates nothing, also for a role that could', async () => {
        expect(await rejection('mintmark')).toMatch(
          /The database lacks the migrations \d{14}_\w+, and MIGRATE is "off".*search_path.*roles\.sql/,
        );
        expect(await query(urlOf('mintmark'), "SELECT FROM pg_class WHERE relname = 'identifier'")).toEqual([]);
      });

      it('names the script for a role without rights, and starts with those that the script grants', async () => {
        await migrate(urlOf('mintmark'));
        expect(await rejection('mintmark_service')).toMatch(
          /"mintmark_service" cannot use .*permission denied.*roles\.sql/,
        );
        await grant();
        await grant();
        // Sequences as logical replication leaves them.
        await query(
          urlOf('mintmark'),
          `INSERT INTO naming_authority (id, prefix) VALUES (1, '100.102');
           INSERT INTO identifier (id, naming_authority_id, guid) SELECT n, 1, gen_random_uuid() FROM generate_series(1, 20) n`,
        );
        server = await startServer(variables('mintmark_service'));
        client = new Client(server.url);
        const { last } = (
          await query<{ last: string }>(urlOf('mintmark'), 'SELECT last_value AS last FROM identifier_id_seq')
        )[0]!;
        // The event of the other naming authority.
        expect(last).toBe('21');
      }, 30_000);
    });

    describe('the service as mintmark_service', () => {
      const path = async (fields: object = {}) => `/identifiers/${(await client.mint(fields, admin)).body.identifier}`;
      const patch = (to: string, body: object, version = 1) =>
        client.send(
          'PATCH',
          to,
          { ...admin, 'content-type': 'application/merge-patch+json', 'if-match': `"${version}"` },
          JSON.stringify(body),
        );
      const lines = async (to: string, ...items: object[]) => {
        const body = items.map((item) => JSON.stringify(item)).join('\n');
        const answer = await fetch(client.base + to, { method: 'POST', headers: ndjson, body });
        return linesIn(await answer.text());
      };

      it('mints one, with a record, with alternates and a key; many, and in bulk', async () => {
        expect((await client.mint({ mintMetadataId: true }, admin)).status).toBe(201);
        const keyed = { ...admin, 'idempotency-key': 'one' };
        const body = { namingAuthority: '100.102', metadataId: 'demo:1', alternateIds: ['demo:2'] };
        const sent = [await client.post('/identifiers', body, keyed), await client.post('/identifiers', body, keyed)];
        expect(sent.map(({ status, headers }) => [status, headers.get('idempotency-replayed')])).toEqual([
          [201, null],
          [201, 'true'],
        ]);
        const batch = { namingAuthority: '100.102', items: [{}, { alternateIds: ['demo:3'] }] };
        const many = await client.post('/identifiers/batch', batch, { ...admin, 'idempotency-key': 'many' });
        expect([many.status, many.body.items.length]).toEqual([200, 2]);
        const bulk = await lines(
          '/identifiers/bulk?namingAuthority=100.102',
          { clientRef: 'a' },
          { metadataId: 'demo:4' },
        );
        expect(bulk.map(({ status }) => status)).toEqual([201, 201]);
      });

      it('changes, withdraws and reinstates, one and many', async () => {
        const one = await path({ alternateIds: ['demo:5', 'demo:6'] });
        const changed = await patch(one, { target: 'https://a.example.org/', alternateIds: ['demo:6', 'demo:7'] });
        expect([changed.status, changed.body.version]).toEqual([200, 2]);
        expect((await client.post(`${one}/withdraw`, { reason: 'Twice.' }, admin)).status).toBe(200);
        expect((await client.post(`${one}/reinstate`, {}, admin)).status).toBe(200);
        const identifier = one.slice(13);
        const many = await lines(
          '/identifiers/changes',
          { identifier, target: null },
          { identifier, withdraw: { reason: 'Twice.' } },
        );
        expect(many.map(({ outcome }) => outcome)).toEqual(['changed', 'changed']);
      });

      it('reserves, activates, and writes down a lease that has ended', async () => {
        const reserve = (leaseUntil: string) =>
          client.post('/reservations', { namingAuthority: '100.102', count: 2, leaseUntil }, admin);
        const reservation = (await reserve(inFuture(600_000))).body;
        const keyed = { ...admin, 'idempotency-key': 'activation' };
        expect((await client.post(`/reservations/${reservation.id}/activate`, {}, keyed)).body).toMatchObject({
          activated: 2,
        });
        expect((await reserve(inFuture(500))).status).toBe(201);
        const countLapses = async () => (await readLog(client)).events.filter(({ kind }) => kind === 'lapsed').length;
        for (const end = Date.now() + 5000; (await countLapses()) < 2 && Date.now() < end;) await pause(50);
        expect(await countLapses()).toBe(2);
      });

      it('creates naming authorities, and changes them with their rules', async () => {
        const made = await client.post('/naming-authorities', { namingAuthority: '30.1', profile: 'handle' }, admin);
        expect(made.status).toBe(201);
        const changed = await patch('/naming-authorities/30.1', { caseInsensitive: true, uuidVersion: 7 });
        expect([changed.status, changed.body.caseInsensitive]).toEqual([200, true]);
      });

      it('creates API keys, with users of Handle servers, and revokes them', async () => {
        const key = {
          client: 'repository',
          namingAuthorities: null,
          scopes: ['mint', 'register', 'curate'],
          handleUser: '100.102/ADMIN',
        };
        const { status, body } = await client.post('/api-keys', key, admin);
        expect(status).toBe(201);
        expect((await client.mint({}, { authorization: `Bearer ${body.secret}` })).status).toBe(201);
        expect((await client.send('DELETE', `/api-keys/${body.id}`, admin)).status).toBe(204);
      });

      it('imports, and is ready, and reads events and figures', async () => {
        const guid = '0C3B21C0E5D64B4AA7C6D2A1A7C8F0E1';
        const line = { identifier: `100.102/${guid}`, metadataId: 'demo:8', alternateIds: ['demo:9'] };
        expect(await lines('/identifiers/import', line)).toMatchObject([{ status: 201 }]);
        expect((await client.get('/health/ready')).status).toBe(200);
        const kinds = new Set((await readLog(client)).events.map(({ kind }) => kind));
        expect([...kinds].sort()).toEqual([
          ...['activated', 'changed', 'created', 'imported', 'lapsed', 'minted', 'reinstated', 'reserved', 'withdrawn'],
        ]);
        const metrics = await (await fetch(`${client.base}/metrics`, { headers: admin })).text();
        expect(metrics).toMatch(/^mintmark_database_size_bytes [1-9]/m);
      });

      it('reads records as mintmark_reader', async () => {
        const replicaReads = async () => {
          const text = await (await fetch(`${client.base}/metrics`, { headers: admin })).text();
          return Number(/^mintmark_record_reads_total\{server="replica"\} (\d+)$/m.exec(text)?.[1]);
        };
        const [one, before] = [await path(), await replicaReads()];
        expect((await client.get(one)).status).toBe(200);
        expect(await replicaReads()).toBeGreaterThan(before);
      });

      it('has been rejected nothing by the database', () => {
        expect(server!.stdout()).not.toMatch(/permission denied|must be owner|"level":[56]0/);
      });

      it('sees in doctor the process of another role, without the start of its transaction', async () => {
        const session = new pg.Client({ connectionString: urlOf('mintmark'), application_name: 'report' });
        await session.connect();
        await session.query('BEGIN; SELECT pg_current_xact_id()');
        await query(urlOf('mintmark'), 'SELECT pg_current_xact_id()');
        const place = { folder: tmpdir(), port: postgres.port };
        const { stdout } = await runDoctor(place, { DATABASE_URL: urlOf('mintmark_service'), MIGRATE: 'off' }, []);
        await session.end();
        expect(stdout).toMatch(/has not ended for 2 s or longer: process \d+ \(report\)\. End it/);
      });

      it('without its rights is not ready, and names the script that grants them', async () => {
        await query(urlOf('mintmark'), 'REVOKE ALL ON ALL TABLES IN SCHEMA public FROM mintmark_service');
        await pause(1050);
        const remedy = expect.stringContaining('run docs/deployment/roles.sql');
        for (const { status, body } of [await client.get('/health/ready'), await client.mint({}, admin)])
          expect([status, body.code, body.detail]).toEqual([503, 'DATABASE_UNAVAILABLE', remedy]);
        expect(server!.stdout()).toMatch(/"cause":"42501 missing right: .*roles\.sql.*the database fails/);
        await grant();
        await pause(1050);
        expect((await client.get('/health/ready')).status).toBe(200);
      });
    });

    describe('the database', () => {
      it.each([
        'DELETE FROM identifier',
        'DELETE FROM naming_authority',
        "UPDATE change SET patch = '[]'",
        'UPDATE _prisma_migrations SET finished_at = NULL',
        'INSERT INTO position_gate VALUES (1)',
        'TRUNCATE request',
        'DROP TABLE identifier',
        'ALTER TABLE identifier ADD COLUMN mine int',
        'ALTER TABLE identifier DISABLE TRIGGER ALL',
        'CREATE TABLE mine (id int)',
      ])('denies the service and the reader: %s', async (sql) => {
        expect([await codeOf('mintmark_service', sql), await codeOf('mintmark_reader', sql)]).toEqual([
          '42501',
          '42501',
        ]);
      });

      it('permits to the service what it seldom does', async () => {
        for (const sql of [
          // A client that lost its user to an identifier.
          'DELETE FROM handle_user WHERE false',
          // The probe of commits, where a synchronous standby is configured.
          "SELECT pg_logical_emit_message(true, 'mintmark', '')",
        ]) {
          expect(await codeOf('mintmark_service', sql)).toBe('done');
        }
      });

      it('lets the reader read alone, also what a later migration creates', async () => {
        await query(urlOf('mintmark'), 'CREATE VIEW later AS SELECT prefix FROM naming_authority');
        for (const table of ['identifier_record', 'event', 'api_key', 'later']) {
          expect(await codeOf('mintmark_reader', `SELECT FROM ${table}`)).toBe('done');
        }
        expect(await codeOf('mintmark_service', 'SELECT FROM later')).toBe('done');
        for (const sql of ['UPDATE identifier SET target = NULL', "SELECT nextval('identifier_id_seq')"]) {
          expect(await codeOf('mintmark_reader', sql)).toBe('42501');
        }
      });
    });
  });
}
