/** `npm run bench:scale`: measures look-ups among millions of identifiers, and the size of the tables. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mintLines, sendBulk } from './bulk-client.js';
import { Cluster } from './cluster.js';
import { MINT_BODY, requireRoute } from './preconditions.js';
import { describeMachine } from './machine.js';
import { fillWithNames, settle, writeSample } from './names.js';
import { shown, table } from './report.js';
import { Skip } from './rounds.js';
import { measureLookups } from './scale-lookups.js';
import { Servers } from './servers.js';

const MILLION = 1_000_000;
const DATABASE = 'scale';

const { values: options } = parseArgs({
  options: {
    millions: { type: 'string', default: '10' },
    sql: { type: 'boolean', default: false },
    // Measures only the sizes and the time of loading. Each line has a metadata ID and a target; streams have no Idempotency-Key.
    plain: { type: 'boolean', default: false },
    // With --plain: mints with an API key, whose ID is stored with each identifier.
    'api-key': { type: 'boolean', default: false },
    seconds: { type: 'string', default: '5' },
  },
});
const ADMIN_API_KEY = options['api-key'] && options.plain ? randomBytes(24).toString('base64url') : null;
const steps = [...new Set([1, Number(options.millions)])].filter((millions) => millions <= Number(options.millions));

const cluster = await Cluster.start();
const servers = new Servers(cluster);
let code = 1;
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end);
try {
  await cluster.createDatabase(DATABASE);
  const server = await servers.mintmark(DATABASE, ADMIN_API_KEY === null ? {} : { ACCESS: 'keys', ADMIN_API_KEY });
  if (!options.sql && ADMIN_API_KEY === null)
    await requireRoute(server, '/identifiers/bulk', mintLine(), 'application/x-ndjson');
  console.log((await describeMachine(cluster)).join('\n'));
  await grow(server, ADMIN_API_KEY === null ? {} : await createKey(server));
  code = 0;
} catch (error) {
  console.error(error instanceof Skip ? `${error.message}; --sql loads the tables without it` : error);
}
await end();

async function grow(server, access) {
  const measured = [];
  let loaded = 0;
  for (const millions of steps) {
    const seconds = await add(server, millions * MILLION - loaded, access);
    const perSecond = shown((millions * MILLION - loaded) / seconds);
    loaded = millions * MILLION;
    console.log(`\n${millions} million: loaded in ${shown(seconds)} s (${perSecond} a second)\n`);
    console.log(table(['relation', 'MB'], await sizes()));
    console.log(`\n${shown(await bytesOfIdentifier(loaded))} bytes an identifier, tables and indexes\n`);
    if (options.plain) continue;
    const lines = join(cluster.folder, 'scale.tsv');
    await writeSample(cluster, DATABASE, lines);
    measured.push(
      await measureLookups({ cluster, database: DATABASE, server, lines, seconds: Number(options.seconds) }),
    );
  }
  if (measured.length === 0) return;
  console.log(`\nLook-ups, 4 connections, p50 / p99 in ms\n`);
  const cell = (found) => (typeof found === 'string' ? found : `${shown(found.p50Ms)} / ${shown(found.p99Ms)}`);
  const rows = [...measured[0].keys()].map((kind) => [kind, ...measured.map((found) => cell(found.get(kind)))]);
  console.log(table(['look-up', ...steps.map((millions) => `${millions} million`)], rows));
}

/** @returns the time in seconds. Only with --sql, this includes VACUUM and the checkpoint. */
async function add(server, count, access) {
  const started = performance.now();
  if (options.sql) {
    await fillWithNames(cluster, DATABASE, count);
    return (performance.now() - started) / 1000;
  }
  for (let left = count; left > 0; left -= MILLION) {
    const size = Math.min(left, MILLION);
    const { status, minted } = await sendBulk(server, ...stream(size, access));
    if (status !== 200 || minted !== size) throw new Error(`bulk returned ${status}, ${minted} of ${size} minted`);
  }
  const seconds = (performance.now() - started) / 1000;
  await settle(cluster, DATABASE);
  return seconds;
}

function stream(size, access) {
  return options.plain ? [mintLines(size), { key: null, access }] : [mintLines(size, alternate)];
}

/** @returns the header `authorization` with a new API key. */
async function createKey({ url }) {
  const response = await fetch(`${url}/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ client: 'library', namingAuthorities: null, scopes: ['mint'] }),
  });
  if (response.status !== 201) throw new Error(`no key was created: ${response.status} ${await response.text()}`);
  return { authorization: `Bearer ${(await response.json()).secret}` };
}

function alternate(unique) {
  return { alternateIds: [`info:fedora/demo:${unique.toLowerCase()}`] };
}

function mintLine() {
  return `${MINT_BODY.replaceAll('{unique}', '0'.repeat(32))}\n`;
}

async function sizes() {
  const rows = await cluster.query(
    DATABASE,
    `SELECT relname AS name, pg_relation_size(oid) AS bytes FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i') AND pg_relation_size(oid) > 1000000
     ORDER BY relkind DESC, bytes DESC`,
  );
  return rows.map(({ name, bytes }) => [name, shown(Number(bytes) / 1e6)]);
}

async function bytesOfIdentifier(count) {
  const [{ bytes }] = await cluster.query(
    DATABASE,
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
  );
  return Number(bytes) / count;
}

async function end() {
  await servers.stopAll();
  await cluster.stop();
  process.exit(code);
}
