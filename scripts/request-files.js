// Prints the files of src/ and of packages/ that have a function that a warm request runs, as measured by V8's precise coverage:
//   npm run request-files [-- PATCH|withdraw|mint|lookup …]
// Left out are files that also run while the service is idle, and files of HTTP, access, problems, metrics, logs and connections. The
// package of identifiers counts as one file. The service runs in the process of the script, with PostgreSQL in a temporary folder.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const WARM = 30;
const IDLE_MS = 3000;
const ROOT = fileURLToPath(new URL('../', import.meta.url));
// Files that run for every request before its controller count as files of HTTP.
const LEFT_OUT =
  /^(api\/.*(controller|presenter|dto)|app\.setup|direct-path|.*(interface|entrance|routes)\.js|(http|access|problem|metrics|logging)\/|database\/(generated|statement-times|connection-pool))/;

const folder = mkdtempSync(join(tmpdir(), 'mintmark-request-files-'));
const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
probe.close();
await once(probe, 'close');
Object.assign(process.env, { DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'warn', NAMING_AUTHORITIES: '100.102' });
const { bootstrap } = await import('../dist/bootstrap.js');
const service = await bootstrap(new AbortController().signal);

const send = async (method, path, body, headers = {}) => {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': type }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
};
const mint = async () => (await send('POST', '/identifiers', { namingAuthority: '100.102' })).identifier;
let changes = 0;

/** Each function creates what its request needs, and returns a function that sends the request. */
const REQUESTS = {
  mint: async () => mint,
  lookup: async () => {
    const identifier = await mint();
    return () => send('GET', `/identifiers/${identifier}`);
  },
  PATCH: async () => {
    const identifier = await mint();
    const target = `https://repo.example.org/${++changes}`;
    return () => send('PATCH', `/identifiers/${identifier}`, { target }, { 'if-match': '*' });
  },
  withdraw: async () => {
    const identifier = await mint();
    return () => send('POST', `/identifiers/${identifier}/withdraw`, { reason: 'a test' });
  },
};

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** The files that have a function that has run since the last call. */
async function filesRun() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const run = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0));
  const paths = run.flatMap(({ url }) => (url.includes(ROOT) ? [url.slice(url.indexOf(ROOT) + ROOT.length)] : []));
  return new Set(paths.flatMap((path) => /^(?:dist\/|(?=packages\/))(.*)/.exec(path)?.[1] ?? []));
}

const chosen = process.argv.slice(2).filter((name) => name in REQUESTS);
const counts = {};
for (const name of chosen.length > 0 ? chosen : Object.keys(REQUESTS)) {
  for (let n = 0; n < WARM; n++) await (await REQUESTS[name]())();
  const request = await REQUESTS[name]();
  await filesRun();
  await pause(IDLE_MS);
  const idle = await filesRun();
  await request();
  const files = [...(await filesRun())].filter((file) => !idle.has(file) && !LEFT_OUT.test(file)).sort();
  const listed = [...new Set(files.map((file) => (file.startsWith('packages/') ? 'packages/identifier/' : file)))];
  counts[name] = listed.length;
  console.log(`${name}: ${listed.length}\n${listed.map((file) => `  ${file.replace(/\.js$/, '.ts')}`).join('\n')}`);
}
console.log(JSON.stringify(counts));
await service.stop('done');
rmSync(folder, { recursive: true, force: true });
process.exit(0);
