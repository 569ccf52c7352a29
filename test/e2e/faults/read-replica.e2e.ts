import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { createDatabase, query } from '../harness/database.js';
import { type Replicated, startReplicated } from '../harness/replicated.js';
import { type TestServer, runToEnd, startServer } from '../harness/server.js';
import { limitMs } from '../harness/stalls.js';

// Real: a primary and a standby that streams its log.

const ADMIN = '4f1c0a7be29d83655e0b9a47d1c2f3861b7e5d094a6c8f20e3d1957b6a0c4f8e';
const TARGET = 'https://repo.example.org/objects/1';
const AWAY = 'hdl:2000.01/B3D8BE7457C943FFB66ED4583059A8BB';
const UNKNOWN = '100.102/F58FB49EB1F848F0A606E84CEF294BE5';

let postgres: Replicated;
let server: TestServer;
/** Another process, which learns of changes from the log. */
let another: TestServer;
let client: Client;

const ENVIRONMENT = () => ({
  DATABASE_URL: postgres.primary,
  READ_DATABASE_URL: postgres.standby,
  NAMING_AUTHORITIES: '100.102',
  ADMIN_API_KEY: ADMIN,
  INTERFACES: 'api,resolver,handles',
  RATE_LIMIT_UNAUTHENTICATED_PER_MINUTE: '0',
});

beforeAll(async () => {
  postgres = await startReplicated();
  [server, another] = await Promise.all([startServer(ENVIRONMENT()), startServer(ENVIRONMENT())]);
  client = new Client(server.url);
}, 60_000);

afterAll(async () => {
  await Promise.all([server.stop(), another.stop()]);
  await postgres.stop();
}, 60_000);

const admin = { authorization: `Bearer ${ADMIN}` };

async function until(what: string, holds: () => Promise<boolean>, limitMs = 15_000): Promise<void> {
  for (const end = Date.now() + limitMs; !(await holds());) {
    if (Date.now() > end) throw new Error(`not in time: ${what}`);
    await pause(50);
  }
}

async function mint(fields: object = {}): Promise<string> {
  const { status, body } = await client.post('/identifiers', { namingAuthority: '100.102', ...fields }, admin);
  expect(status).toBe(201);
  return body.identifier as string;
}

async function reads(): Promise<Record<string, number>> {
  const text = await (await fetch(`${server.url}/metrics`, { headers: admin })).text();
  const found = text.matchAll(/^mintmark_record_reads_total\{server="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, name, count]) => [name, Number(count)]));
}

const resolve = (identifier: string, { url } = server) => fetch(`${url}/${identifier}`, { redirect: 'manual' });

/** Where both processes redirect to. */
async function locations(identifier: string): Promise<(string | null)[]> {
  const answers = await Promise.all([server, another].map((at) => resolve(identifier, at)));
  return answers.map(({ headers }) => headers.get('location'));
}

const replayed = async (): Promise<void> => {
  const [row] = await query<{ lsn: string }>(postgres.primary, 'SELECT pg_current_wal_flush_lsn()::text AS lsn');
  await until('replay', async () => {
    const [at] = await query<{ done: boolean }>(
      postgres.standby,
      'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS done',
      [row!.lsn],
    );
    return at!.done;
  });
};

describe('with READ_DATABASE_URL', () => {
  it('reads at the standby', async () => {
    const identifier = await mint({ target: TARGET });
    await replayed();
    const before = await reads();
    expect((await client.get(`/identifiers/${identifier}`)).status).toBe(200);
    expect((await reads()).replica).toBeGreaterThan(before.replica!);
  });

  it('has no 404 and no old cached record while the standby does not replay', async () => {
    const changed = await mint({ target: TARGET });
    await replayed();
    expect(await locations(changed)).toEqual([TARGET, TARGET]);
    await query(postgres.standby, 'SELECT pg_wal_replay_pause()');
    const minted = await mint({ target: TARGET, metadataId: 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA' });
    expect((await client.get(`/identifiers/${minted}`)).status).toBe(200);
    expect((await resolve(minted)).status).toBe(302);
    const { body } = await client.post('/identifiers/lookup', { items: [changed, minted, UNKNOWN, changed] });
    const outcomes = body.items.map(({ outcome }: { outcome: string }) => outcome);
    expect(outcomes).toEqual(['found', 'found', 'missing', 'found']);

    const { headers } = await client.get(`/identifiers/${changed}`);
    const next = 'https://repo.example.org/objects/2';
    const match = { ...admin, 'content-type': 'application/merge-patch+json', 'if-match': headers.get('etag')! };
    const patched = await client.send('PATCH', `/identifiers/${changed}`, match, JSON.stringify({ target: next }));
    expect(patched.status).toBe(200);
    // Once a poll has told the change, no answer of the resolver is older, cached or not.
    await until('a poll', async () => (await locations(changed)).every((location) => location === next));
    for (let count = 0; count < 10; count += 1) {
      expect(await locations(changed)).toEqual([next, next]);
      await pause(100);
    }
    // The ETag of the primary decides, also while a read may be old.
    expect(
      (await client.send('PATCH', `/identifiers/${changed}`, match, JSON.stringify({ target: TARGET }))).status,
    ).toBe(412);
    await query(postgres.standby, 'SELECT pg_wal_replay_resume()');
    await replayed();
  }, 30_000);

  it('goes on while the primary is away, and answers a miss with 503', async () => {
    const identifier = await mint({ target: TARGET, metadataId: AWAY });
    const key = (await client.post('/api-keys', { client: 'reader', namingAuthorities: null, scopes: ['mint'] }, admin))
      .body;
    expect(key.secret).toBeTruthy();
    await mint();
    await replayed();
    // The primary was compared after the key was replayed.
    await pause(2500);
    await postgres.killPrimary();
    const headers = { authorization: `Bearer ${key.secret as string}` };
    const began = Date.now();
    for (let round = 0; round < 8; round += 1) {
      const at = performance.now();
      const answers = await Promise.all([
        client.get(`/identifiers/${identifier}`),
        client.get(`/identifiers/${identifier}`, headers),
        client.get(`/identifiers?metadataId=${AWAY}`),
        client.post('/identifiers/lookup', { items: [identifier, AWAY] }),
        resolve(identifier),
        client.get(`/api/handles/${identifier}`),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 302, 200]);
      for (const path of [`/identifiers/${identifier}`, `/${identifier}?noredirect`]) {
        const page = await fetch(server.url + path, { headers: { ...headers, accept: 'text/html' } });
        expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('All changes, newest first.')]);
      }
      // What the standby knows authorises no write.
      expect((await client.mint({}, headers)).status).toBe(503);
      expect(performance.now() - at).toBeLessThan(limitMs(4500));
      const misses = await Promise.all([
        client.get(`/identifiers/${UNKNOWN}`),
        client.post('/identifiers/lookup', { items: [UNKNOWN] }),
        resolve(UNKNOWN),
        client.get('/identifiers/100.999/X'),
      ]);
      expect(misses.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
      await pause(Math.max(0, began + round * 500 - Date.now()));
    }
    await until('start', async () =>
      postgres.startPrimary().then(
        () => true,
        () => false,
      ),
    );
    await until('404 again', async () => (await client.get(`/identifiers/${UNKNOWN}`)).status === 404);
    expect((await resolve(UNKNOWN)).status).toBe(404);
    await mint();
  }, 90_000);

  it('takes a miss at a server in recovery for no 404', async () => {
    const identifier = await mint({ target: TARGET });
    await replayed();
    await pause(2500);
    const promote = await postgres.demotePrimary();
    const statuses = async () => {
      const names = [identifier, UNKNOWN];
      const answers = await Promise.all(
        names.flatMap((name) => [
          client.get(`/identifiers/${name}`),
          resolve(name),
          client.post('/identifiers/lookup', { items: [name] }),
        ]),
      );
      return answers.map(({ status }) => status);
    };
    for (let round = 0; round < 6; round += 1) {
      expect(await statuses()).toEqual([200, 302, 200, 503, 503, 503]);
      await pause(500);
    }
    const { status, body } = await client.get('/health/ready');
    expect([status, body.detail]).toEqual([503, expect.stringContaining('is in recovery (a standby)')]);
    await promote();
    await until('404 again', async () => (await client.get(`/identifiers/${UNKNOWN}`)).status === 404);
    await mint();
  }, 60_000);

  it('reads at the primary while the standby is away', async () => {
    const identifier = await mint({ target: TARGET });
    await postgres.stopStandby();
    for (let count = 0; count < 20; count += 1) {
      expect((await client.get(`/identifiers/${identifier}`)).status).toBe(200);
      expect((await resolve(identifier)).status).toBe(302);
    }
    const other = await startServer(ENVIRONMENT());
    expect(other.stdout() + other.stderr()).toContain('READ_DATABASE_URL is not read');
    await other.stop();
    await postgres.startStandby();
    await replayed();
    await until('use', async () => {
      const before = await reads();
      await client.get(`/identifiers/${identifier}`);
      return (await reads()).replica! > before.replica!;
    });
  }, 60_000);

  it('rejects the database of another registry, and accepts the primary itself', async () => {
    const other = await createDatabase();
    const [{ code, stderr }, itself] = await Promise.all([
      runToEnd({ ...ENVIRONMENT(), READ_DATABASE_URL: other.url }),
      startServer({ ...ENVIRONMENT(), READ_DATABASE_URL: postgres.primary }),
    ]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('another database');
    await other.drop();
    expect((await new Client(itself.url).get(`/identifiers/${UNKNOWN}`)).status).toBe(404);
    await itself.stop();
  }, 60_000);
});
