import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { BreakingProxy } from '../harness/breaking-proxy.js';
import { query } from '../harness/database.js';
import { freshPrefix } from '../harness/naming-authorities.js';
import { useService } from '../harness/service.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` };
const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY });

/**
 * The service behind a proxy that gives an empty page before the end at each cursor first, as the service does where another naming
 * authority has very many events.
 */
const seen = new Set<string>();
const proxy = createServer((received, response) => {
  const path = received.url ?? '';
  const cursor = new URL(path, 'http://x').searchParams.get('cursor');
  if (path.startsWith('/events?') && cursor !== null && cursor !== 'latest' && !seen.has(cursor)) {
    seen.add(cursor);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ items: [], next: cursor, end: false }));
    return;
  }
  const { host } = new URL(service.server.url);
  const settings = { method: received.method, headers: { ...received.headers, host } };
  const forwarded = request(service.server.url + path, settings, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  received.pipe(forwarded);
});
beforeAll(() => new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  proxy.closeAllConnections();
  proxy.close();
});

const scriptAt = (name: string) => fileURLToPath(new URL(`../../integration-scripts/${name}`, import.meta.url));
const { PATH = '', HOME = '' } = process.env;

/** The programs, each with what it needs, commands that succeed where that is installed, and the command that runs it. */
const SCRIPTS = [
  {
    name: 'repository.ts',
    title: 'repository.ts',
    needs: [],
    command: async () => {
      const source = await readFile(scriptAt('repository.ts'), 'utf8');
      const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
      return [
        process.execPath,
        '--input-type=module',
        '--eval',
        ts.transpileModule(source, { compilerOptions }).outputText,
      ];
    },
  },
  {
    name: 'repository.py',
    title: 'repository.py (needs Python 3)',
    needs: [['python3', '--version']],
    command: () => Promise.resolve(['python3', scriptAt('repository.py')]),
  },
  {
    name: 'repository.sh',
    title: 'repository.sh (needs curl 7.76 and the usual commands of a shell)',
    needs: [
      ['sh', '-c', 'type sed grep awk cmp paste mktemp'],
      // curl has this option since 7.76.
      ['curl', '--fail-with-body', '--version'],
    ],
    command: () => Promise.resolve(['sh', scriptAt('repository.sh')]),
  },
].map((script) => ({
  ...script,
  run: script.needs.every(([command = '', ...args]) => spawnSync(command, args).status === 0) ? it.concurrent : it.skip,
}));

/** Creates a naming authority, and a key for it. @returns what a program needs. */
async function prepare(name: string, scopes: string[]): Promise<{ namingAuthority: string; key: string }> {
  const namingAuthority = freshPrefix();
  const created = await service.client.post('/naming-authorities', { namingAuthority, metadataIdScheme: 'any' }, ADMIN);
  expect(created.status).toBe(201);
  const fields = { client: `${name}-${namingAuthority}`, scopes, namingAuthorities: [{ namingAuthority }] };
  const key = await service.client.post('/api-keys', fields, ADMIN);
  expect(key.status).toBe(201);
  return { namingAuthority, key: key.body.secret };
}

async function run(
  [command = '', ...args]: string[],
  { namingAuthority, key }: { namingAuthority: string; key: string },
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    ...{ PATH, HOME, MINTMARK_URL: url },
    ...{ MINTMARK_KEY: key, MINTMARK_NAMING_AUTHORITY: namingAuthority },
  };
  return new Promise((resolve) => {
    execFile(command, args, { env, timeout: 120_000, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr });
    });
  });
}

/** The rows of a naming authority, counted in the database. */
async function stored(namingAuthority: string, runId: string) {
  const sql = (text: string, ...values: string[]) =>
    query<Record<string, any>>(service.database.url, text, [namingAuthority, ...values]);
  const [totals] = await sql(
    `SELECT count(*)::int AS identifiers, count(DISTINCT guid)::int AS guids,
       count(DISTINCT metadata_id)::int AS "metadataIds", count(DISTINCT target)::int AS targets,
       count(*) FILTER (WHERE metadata_id LIKE 'oai:repo.example.org:' || $2 || '/%')::int AS own,
       count(*) FILTER (WHERE target LIKE 'https://new.example.org/' || $2 || '/%')::int AS moved
     FROM identifier i JOIN naming_authority n ON n.id = i.naming_authority_id WHERE n.prefix = $1`,
    runId,
  );
  const states = await sql(
    `SELECT i.state, i.version, (previous_version IS NOT NULL) AS "isNewer", count(*)::int AS n
     FROM identifier i JOIN naming_authority a ON a.id = i.naming_authority_id WHERE a.prefix = $1
     GROUP BY 1, 2, 3 ORDER BY 1, 2`,
  );
  const [replaced] = await sql(
    `SELECT count(*)::int AS n
     FROM identifier older JOIN naming_authority a ON a.id = older.naming_authority_id
       JOIN identifier newer ON newer.naming_authority_id = a.id
         AND older.replaced_by = 'hdl:' || a.prefix || '/' || upper(replace(newer.guid::text, '-', ''))
         AND newer.previous_version = 'hdl:' || a.prefix || '/' || upper(replace(older.guid::text, '-', ''))
         AND newer.metadata_id = older.metadata_id || '/v2'
     WHERE a.prefix = $1 AND older.withdrawal_reason = 'Replaced by a corrected version.'`,
  );
  const changes = await sql(
    `SELECT kind, count(*)::int AS n, count(DISTINCT c.identifier_id)::int AS identifiers
     FROM change c JOIN naming_authority a ON a.id = c.naming_authority_id
     WHERE a.prefix = $1 AND c.identifier_id IS NOT NULL AND c.version > 1 GROUP BY kind ORDER BY kind`,
  );
  return { totals, states, replaced, changes };
}

describe.each(SCRIPTS)('the integration of a repository: $title', ({ name, command, run: test }) => {
  test('deposits, retries, moves, revises and withdraws 1,000 objects, each once, and reads its events to the end', async () => {
    const settings = await prepare(name, ['mint', 'curate']);
    const { code, stdout, stderr } = await run(await command(), settings);
    expect([code, stderr]).toEqual([0, '']);
    const { run: runId, ...summary } = JSON.parse(stdout);
    expect(summary).toEqual({
      ...{ deposited: 1000, mintedByRetries: 0, contradicted: 10, updated: 10 },
      ...{ moved: 1000, versions: 100, withdrawn: 100 },
      events: { minted: 1100, changed: 1010, withdrawn: 100 },
    });
    expect(await stored(settings.namingAuthority, runId)).toEqual({
      totals: { identifiers: 1100, guids: 1100, metadataIds: 1100, targets: 1100, own: 1100, moved: 1100 },
      states: [
        { state: 'active', version: 1, isNewer: true, n: 100 },
        { state: 'active', version: 2, isNewer: false, n: 900 },
        // Moved and withdrawn; ten of them were also updated by a mint.
        { state: 'withdrawn', version: 3, isNewer: false, n: 90 },
        { state: 'withdrawn', version: 4, isNewer: false, n: 10 },
      ],
      replaced: { n: 100 },
      changes: [
        { kind: 'changed', n: 1010, identifiers: 1000 },
        { kind: 'withdrawn', n: 100, identifiers: 100 },
      ],
    });
  });

  test('does so where each response is lost once, and each keyed request is rejected as in progress once', async () => {
    const settings = await prepare(`${name}-lost`, ['mint', 'curate']);
    const proxy = await BreakingProxy.before(service.server.url);
    const { code, stdout, stderr } = await run(await command(), settings, proxy.url);
    proxy.close();
    expect([code, stderr]).toEqual([0, '']);
    const { run: runId, ...summary } = JSON.parse(stdout);
    expect(summary).toMatchObject({ deposited: 1000, mintedByRetries: 0, moved: 1000, versions: 100, withdrawn: 100 });
    const { totals, changes } = await stored(settings.namingAuthority, runId);
    expect(totals).toMatchObject({ identifiers: 1100, guids: 1100, metadataIds: 1100, moved: 1100 });
    expect(changes).toEqual([
      { kind: 'changed', n: 1010, identifiers: 1000 },
      { kind: 'withdrawn', n: 100, identifiers: 100 },
    ]);
    // Ten single deposits, eight streams, and the reads of events, totals, exports and identifiers.
    expect(proxy.lost).toBeGreaterThanOrEqual(22);
    expect(proxy.rejected).toBeGreaterThanOrEqual(14);
  });

  test('ends with 1 and the reason where its key may not change identifiers', async () => {
    const settings = await prepare(name, ['mint']);
    const { code, stdout, stderr } = await run(await command(), settings);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/AssertionError|unexpected/);
    const { totals } = await stored(settings.namingAuthority, '');
    expect(totals).toMatchObject({ identifiers: 1000, guids: 1000, metadataIds: 1000 });
  });
});
