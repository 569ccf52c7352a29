import { readFileSync } from 'node:fs';
import { METHODS, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { parse } from 'yaml';
import { createDatabase, query } from '../harness/database.js';
import { startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';
import { openStream, sendLines } from '../harness/stream.js';

const KEY = 'correct-horse-battery-staple-correct-horse';
const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: KEY });
const authorization = `Bearer ${KEY}`;

const scrape = async (): Promise<string> => {
  const answer = await fetch(`${service.server.url}/metrics`, { headers: { authorization } });
  return answer.text();
};
/** `fetch` rejects some methods. */
const statusOf = (method: string, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(service.server.url + path, { method }, (answer) => {
      answer.resume().on('end', () => {
        resolve(answer.statusCode ?? 0);
      });
    });
    sent.on('error', reject).end();
  });
const read = (name: string) => readFileSync(new URL(`../../../docs/monitoring/${name}`, import.meta.url), 'utf8');

describe('GET /metrics', () => {
  it('is the Prometheus text format, not to be stored', async () => {
    const answer = await fetch(`${service.server.url}/metrics`, { headers: { authorization } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    // https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
    const line = /^(# (HELP|TYPE) [a-z_][a-z0-9_]* .+|[a-z_][a-z0-9_]*(\{[^}]*\})? ([-+0-9.e]+|nan|\+inf))?$/i;
    expect((await answer.text()).split('\n').filter((text) => !line.test(text))).toEqual([]);
  });

  it('needs a key with the scope "metrics" for all naming authorities', async () => {
    const codeWith = async (fields: object) => {
      const key = { client: 'monitoring', namingAuthorities: null, ...fields };
      const made = await service.client.post('/api-keys', key, { authorization });
      const bearer = { authorization: `Bearer ${made.body.secret as string}` };
      const answer = await fetch(`${service.server.url}/metrics`, { headers: bearer });
      return answer.status === 200 ? 200 : ((await answer.json()) as { code: string }).code;
    };
    expect((await service.client.get('/metrics')).body.code).toBe('UNAUTHENTICATED');
    expect(await codeWith({ scopes: ['read', 'mint', 'register', 'curate'] })).toBe('SCOPE_MISSING');
    const namingAuthorities = [{ namingAuthority: '100.102' }];
    for (const scope of ['admin', 'metrics']) {
      expect(await codeWith({ scopes: [scope, 'read'], namingAuthorities })).toBe('NAMING_AUTHORITY_FORBIDDEN');
      expect(await codeWith({ scopes: [scope] })).toBe(200);
    }
  });

  it('lets a key with the scope "metrics" do nothing else', async () => {
    const key = { client: 'monitoring', namingAuthorities: null, scopes: ['metrics'] };
    const { secret } = (await service.client.post('/api-keys', key, { authorization })).body;
    const bearer = { authorization: `Bearer ${secret as string}` };
    for (const path of ['/identifiers', '/api-keys', '/naming-authorities']) {
      expect([path, (await service.client.post(path, {}, bearer)).body.code]).toEqual([path, 'SCOPE_MISSING']);
    }
  });

  it('names the version of the program', async () => {
    expect(await scrape()).toContain(
      `mintmark_build_info{version="0.1.0-beta.1",node_version="${process.versions.node}"} 1\n`,
    );
  });

  it('counts a request under the pattern of its route and its status, never under its path', async () => {
    const path = '/identifiers/100.102/0123456789abcdef0123456789abcdef';
    await service.client.get(path, { authorization });
    await service.client.get('/no-such-path-qzxvwk', { authorization });
    const text = await scrape();
    const count = 'mintmark_http_request_duration_seconds_count';
    expect(text).toContain(`${count}{method="GET",route="/identifiers/:identifier",status="404"} 1\n`);
    expect(text).toContain(`${count}{method="other",route="unmatched",status="404"} 1\n`);
    expect(text).not.toMatch(/0123456789abcdef|qzxvwk/i);
  });

  it('has one series for all requests with a method that the path does not have, and for all unknown or malformed paths', async () => {
    const paths = ['/identifiers', '/events', '/api-keys/x', '/health/live', '/hrls/ping', '/no-such-path', '/%zz'];
    const sent = METHODS.filter((method) => !['CONNECT', 'GET', 'HEAD', 'POST', 'DELETE'].includes(method));
    for (const path of paths) await Promise.all(sent.map((method) => statusOf(method, path)));
    const text = await scrape();
    const series = [...text.matchAll(/^mintmark_http_request_duration_seconds_count\{method="(\w+)",(.*)\} \d+$/gm)];
    expect(sent.length).toBeGreaterThan(25);
    const others = series.flatMap(([, method = '', labels]) => (sent.includes(method) ? [method, labels] : []));
    expect(others).toEqual([]);
    const shared = series.flatMap(([, method, labels]) => (method === 'other' ? [labels] : []));
    expect(shared.filter((labels) => !labels?.startsWith('route="unmatched",'))).toEqual([]);
    expect(shared.length).toBeLessThan(10);
  });

  it('counts streams by how they ended, though all have the status 200', async () => {
    const key = { client: 'loader', namingAuthorities: null, scopes: ['mint'] };
    const { id, secret } = (await service.client.post('/api-keys', key, { authorization })).body;
    const bearer = { authorization: `Bearer ${secret as string}` };
    const url = `${service.server.url}/identifiers/bulk?namingAuthority=100.102`;
    expect(await sendLines(url, '{}\n', bearer)).toMatchObject([{ status: 201 }]);
    const aborted = openStream(url, bearer);
    aborted.request.write('{}\n');
    await aborted.lines.next();
    aborted.request.destroy();
    const ended = openStream(url, bearer);
    ended.request.write('{}\n');
    await ended.lines.next();
    await service.client.send('DELETE', `/api-keys/${id as string}`, { authorization });
    ended.request.write('{}\n');
    expect((await ended.lines.next()).value).toMatchObject({ status: 401 });
    ended.request.end();
    expect((await ended.lines.next()).done).toBe(true);
    const counted = async () =>
      [...(await scrape()).matchAll(/^mintmark_streams_total\{route="\/identifiers\/bulk",outcome="(\w+)"\} (\d+)$/gm)]
        .map(([, outcome, count]) => `${outcome} ${count}`)
        .sort();
    for (const end = Date.now() + 5000; Date.now() < end && (await counted()).length < 3;) await pause(50);
    expect(await counted()).toEqual(['UNAUTHENTICATED 1', 'aborted 1', 'complete 1']);
  });

  it('returns a naming authority as it was created, in whichever case a mint sends it', async () => {
    const post = (path: string, body: object) => service.client.post(path, body, { authorization });
    await post('/naming-authorities', { namingAuthority: 'Abc', profile: 'handle' });
    for (const namingAuthority of ['abc', 'aBC', 'ABC']) {
      expect((await post('/identifiers', { namingAuthority })).status).toBe(201);
    }
    const labels = [...(await scrape()).matchAll(/^mintmark_mints_total\{naming_authority="(abc)".* (\d+)$/gim)];
    expect(labels.map(([, label, count]) => [label, count])).toEqual([['Abc', '3']]);
  });

  describe('the age of the event feed', () => {
    /** Scrapes of the same second have the same age. */
    const NEXT_AGE_MS = 1100;
    const age = async () => Number(/^mintmark_event_feed_age_seconds (.+)$/m.exec(await scrape())?.[1]);

    async function until(what: string, holds: (age: number) => boolean): Promise<number> {
      for (const end = Date.now() + 10_000; ;) {
        const seconds = await age();
        if (holds(seconds)) return seconds;
        if (Date.now() > end) throw new Error(`the age is not ${what}: ${seconds}`);
        await pause(100);
      }
    }

    /** A transaction that delays the feed needs a later one that has ended. */
    async function open(): Promise<pg.Client> {
      const writer = new pg.Client({ connectionString: service.database.url });
      await writer.connect();
      writer.on('error', () => {});
      await writer.query('BEGIN; SELECT pg_current_xact_id()');
      expect((await service.client.mint({}, { authorization })).status).toBe(201);
      return writer;
    }

    it('shows how long an open transaction delays the event feed', async () => {
      const began = performance.now();
      const writer = await open();
      expect(await until('that of the transaction', (seconds) => seconds > 1.5)).toBeLessThan(
        (performance.now() - began) / 1000,
      );
      await writer.query('COMMIT');
      await until('that of no transaction', (seconds) => seconds < 0.5);
      await writer.end();
    });

    it('does not restart the age of the event feed when an overlapping transaction becomes the oldest', async () => {
      const [first, second] = [await open(), await open()];
      const before = await until('that of both', (seconds) => seconds > 1.5);
      await first.query('COMMIT');
      await pause(NEXT_AGE_MS);
      expect(await age()).toBeGreaterThan(before);
      await second.query('COMMIT');
      await until('that of no transaction', (seconds) => seconds < 0.5);
      await Promise.all([first.end(), second.end()]);
    });
  });

  it('counts errors by code, and statements by pool also where Prisma sends them', async () => {
    const count = async (metric: string) =>
      Number(new RegExp(`^${metric} (\\d+)$`, 'm').exec(await scrape())?.[1] ?? 0);
    const errors = () => count('mintmark_errors_total\\{code="IDENTIFIER_NOT_FOUND"\\}');
    const statements = (pool: string) =>
      count(`mintmark_database_statement_duration_seconds_count\\{pool="${pool}"\\}`);
    const before = [await errors(), await statements('hot'), await statements('general')];
    await service.client.get('/identifiers/100.102/0123456789abcdef0123456789abcdee', { authorization });
    // The page for people has no code in it.
    const page = { headers: { accept: 'text/html', authorization } };
    expect((await fetch(`${service.server.url}/100.102/0123456789abcdef0123456789abcdee`, page)).status).toBe(404);
    await service.client.get('/api-keys', { authorization });
    const after = [await errors(), await statements('hot'), await statements('general')];
    const [code, hot, general] = after.map((value, n) => value - before[n]!);
    expect(code).toBe(2);
    expect(hot).toBeGreaterThan(0);
    expect(general).toBeGreaterThan(0);
  });

  it('shows that the service is ready, and the clock of the database, without a check of health before', async () => {
    const text = await scrape();
    expect(text).toMatch(/^mintmark_ready 1$/m);
    const offset = Number(/^mintmark_database_clock_offset_seconds (.+)$/m.exec(text)?.[1]);
    expect(Math.abs(offset)).toBeLessThan(1);
  });

  it('shows the connections of all pools and the statements that wait for one', async () => {
    let text = await scrape();
    // A poll of the log, or a check of readiness, can use a connection at the moment of a scrape.
    for (let more = 50; more > 0 && text.includes('connections{state="busy"} 1'); more--) text = await scrape();
    expect(text).toMatch(/^mintmark_database_connections\{state="idle"\} [1-9]/m);
    expect(text).toMatch(/^mintmark_database_connections\{state="busy"\} 0$/m);
    expect(text).toMatch(/^mintmark_database_connections_limit 29$/m);
    expect(text).toMatch(/^mintmark_queue_depth\{queue="database_pool"\} 0$/m);
  });

  it('shows how many identifiers there are, how many leases end within a day, and the size of the database', async () => {
    const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
    for (const [count, leaseUntil] of [
      [2, hours(1)],
      [3, hours(23)],
      [4, hours(25)],
    ]) {
      const reserved = { namingAuthority: '100.102', count, leaseUntil };
      expect((await service.client.post('/reservations', reserved, { authorization })).status).toBe(201);
    }
    const [counted] = await query<{ identifiers: number }>(
      service.database.url,
      'SELECT count(*)::int AS identifiers FROM identifier',
    );
    // The first scrape of a process reads the database.
    const another = await startServer({ DATABASE_URL: service.database.url, ACCESS: 'keys', ADMIN_API_KEY: KEY });
    const text = await (await fetch(`${another.url}/metrics`, { headers: { authorization } })).text();
    await another.stop();
    expect(text).toContain(`mintmark_identifiers ${counted?.identifiers}\n`);
    expect(text).toContain('mintmark_leases_ending_within_day 5\n');
    const size = Number(/^mintmark_database_size_bytes (\d+)$/m.exec(text)?.[1]);
    expect(size).toBeGreaterThan(5_000_000);
  });
});

/** The metric names of a query: without texts, labels, words and functions of PromQL. */
function namesIn(query: string): string[] {
  const bare = query
    .replace(/"[^"]*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(by|without|on|ignoring|group_left|group_right) *\([^)]*\)/g, '')
    .replace(/label_values\(([^,]*),[^)]*\)/g, '$1')
    .replace(/\b[a-z_]+ *\(/g, '(');
  return (bare.match(/[a-z_:][a-z0-9_:]*/gi) ?? []).filter((word) => !/^(and|or|unless|bool|offset|e)$/.test(word));
}

/** With READ_DATABASE_URL; see `test/metrics/metrics.test.ts`. */
const WITH_STANDBY = ['mintmark_replica_lag_seconds'];

const rules = parse(read('alerts.yaml')).groups.flatMap((group: any) => group.rules) as {
  expr: string;
  record?: string;
}[];
const recorded = rules.flatMap(({ record = [] }) => record);

describe.each<[string, () => string[]]>([
  [
    'dashboard.json',
    () => {
      const { panels, templating } = JSON.parse(read('dashboard.json'));
      const inPanels = panels.flatMap(({ targets }: any) => targets.map(({ expr }: any) => expr as string));
      const inVariables = templating.list.map(({ definition = '' }: any) => definition as string);
      return [...inPanels, ...inVariables];
    },
  ],
  ['alerts.yaml', () => rules.map(({ expr }) => expr)],
])('docs/monitoring/%s', (_, queries) => {
  it('uses only metrics and labels that a scrape contains', async () => {
    // Twice, so that the second scrape counts the first one.
    await scrape();
    const text = await scrape();
    const names = queries().flatMap(namesIn);
    expect(names.length).toBeGreaterThan(8);
    const exported = [...text.matchAll(/^# TYPE ([a-z0-9_]+) ([a-z]+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram'
        ? [`${name}_bucket`, `${name}_sum`, `${name}_count`]
        : type === 'summary'
          ? [`${name}_sum`, `${name}_count`, name]
          : [name],
    );
    const others = ['up', ...recorded, ...WITH_STANDBY];
    expect(names.filter((name) => !exported.includes(name) && !others.includes(name))).toEqual([]);
    const given = new Set(['job', 'instance', ...[...text.matchAll(/[{,]([a-z_]+)="/g)].map(([, label]) => label)]);
    const queried = queries().flatMap((query) =>
      [...query.matchAll(/([a-z_]+) *(?:=~|!~|!=|=)"|\bby \(([^)]*)\)/g)].flatMap(
        ([, one, list]) => one ?? (list ?? '').split(/, */),
      ),
    );
    expect(queried.filter((label) => !given.has(label))).toEqual([]);
  });
});

describe('METRICS_PORT', () => {
  it('serves the metrics, without a key, and nothing else; PORT then does not', async () => {
    const database = await createDatabase();
    const server = await startServer({ DATABASE_URL: database.url, ADMIN_API_KEY: KEY, METRICS_PORT: '0' });
    const [, origin = ''] = /Metrics +(http:\S+)\/metrics/.exec(server.stderr()) ?? [];
    const { hostname, port } = new URL(origin);
    expect(hostname).toBe('127.0.0.1');
    expect(port).not.toBe(new URL(server.url).port);
    await fetch(`${server.url}/health/live`);
    const answer = await fetch(`${origin}/metrics`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await answer.text()).toContain('route="/health/live",status="200"} 1\n');
    for (const path of ['/', '/identifiers', '/health/live', '/docs', '/openapi.json', '/metrics/', '/Metrics']) {
      const other = await fetch(origin + path);
      const { code } = (await other.json()) as { code: string };
      expect([path, other.status, code]).toEqual([path, 404, 'NOT_FOUND']);
    }
    expect((await fetch(`${origin}/metrics`, { method: 'POST' })).status).toBe(405);
    const onPort = await fetch(`${server.url}/metrics`, { headers: { authorization } });
    expect(onPort.status).toBe(404);
    expect((await server.stop()).code).toBe(0);
    await database.drop();
  });
});
