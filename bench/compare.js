/**
 * `npm run bench:compare -- FOLDER`: measures this build and the build in another checkout in alternation. Both are loaded and measured
 * over HTTP, so their tables can differ.
 */
import { access, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { mintLines, sendBulk } from './bulk-client.js';
import { Cluster } from './cluster.js';
import { load } from './load/load.js';
import { describeMachine } from './machine.js';
import { settle } from './names.js';
import { MINT_BODY } from './preconditions.js';
import { comparisonRows, figureRows, reportOf } from './report.js';
import { runRounds } from './rounds.js';
import { Servers } from './servers.js';

const BATCH_SIZE = 500;
const SEARCH_SIZE = 1000;
const REDIRECTED = 20_000;
const METRICS = ['perSecond', 'p50Ms', 'p99Ms', 'walPerThousand'];

const MINT = { method: 'POST', path: '/identifiers', body: MINT_BODY, idempotencyKey: '{unique}' };
const BATCH = {
  method: 'POST',
  path: '/identifiers/batch',
  body: `{"items":[${Array(BATCH_SIZE).fill(MINT_BODY).join(',')}]}`,
  idempotencyKey: '{unique}',
};

const CHANGE = {
  method: 'PATCH',
  path: '/identifiers/{1}',
  headers: { 'Content-Type': 'application/merge-patch+json', 'If-Match': '*' },
  body: '{"target":"https://repo.example.org/moved/{unique}"}',
};

/** The workloads; each returns a sample for `runRounds`. */
const WORKLOADS = {
  'mint-64': (build, seconds) => requests(build, MINT, 64, seconds),
  'mint-1': (build, seconds) => requests(build, MINT, 1, seconds),
  batch: async (build, seconds) => {
    const { operations, ...sample } = await requests(build, BATCH, 4, seconds);
    return { ...sample, operations: operations * BATCH_SIZE };
  },
  bulk: async ({ server }) => {
    const { status, minted, lines, ...sample } = await sendBulk(server, mintLines(identifiers));
    const failures = minted === identifiers ? [] : [`status ${status}: ${minted} of ${lines} lines were minted`];
    return { ...sample, operations: identifiers, failures };
  },
  known: (build, seconds) =>
    requests(build, { ...MINT, body: MINT_BODY.replaceAll('{unique}', '{2}'), idempotencyKey: undefined }, 16, seconds),
  lookup: (build, seconds) => requests(build, { path: '/identifiers/{1}' }, 64, seconds),
  metadata: (build, seconds) => requests(build, { path: '/identifiers?metadataId=hdl:2000.01/{2}' }, 64, seconds),
  search: async (build, seconds) => {
    const items = build.names.slice(0, SEARCH_SIZE).map(([identifier]) => identifier);
    const body = JSON.stringify(build.isBeforeDecision70 ? { inputs: items } : { items });
    const search = { method: 'POST', path: '/identifiers/lookup', body };
    return requests(build, search, 4, seconds);
  },
  // Few names, so that the warm-up reads most of them and fills the cache.
  'redirect-64': (build, seconds) => requests({ ...build, file: build.fewNames }, { path: '/{1}' }, 64, seconds),
  // Last, because it changes the identifiers that the other workloads look up.
  change: (build, seconds) => requests(build, CHANGE, 16, seconds),
};

const USAGE = `npm run bench:compare -- FOLDER [--only mint-64,bulk] [--rounds 3] [--seconds 5] [--identifiers 100000]

  FOLDER         a checkout of another commit in which \`npm ci\` was run
  --only         names of workloads: ${Object.keys(WORKLOADS).join(' ')}
  --identifiers  identifiers of the look-ups, and lines of the bulk load`;

const { folder, only, rounds, seconds, identifiers } = readArguments();
await access(join(folder, 'dist/main.js'));
const cluster = await Cluster.start();
const servers = new Servers(cluster);
const report = { command: process.argv.slice(2).join(' '), comparisons: [], figures: [], skipped: [] };

let code = 1;
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end);
try {
  report.machine = await describeMachine(cluster);
  const builds = { before: await prepare('before', folder), after: await prepare('after') };
  for (const name of only) await compare(name, builds);
  console.log(await reportOf(report));
  code = 0;
} catch (error) {
  console.error(error);
}
await end();

async function compare(title, builds) {
  console.error(`${title} …`);
  const variants = Object.entries(builds).map(([name, build]) => {
    const before = () => cluster.query('postgres', 'CHECKPOINT');
    return [name, { server: build.server, before, run: (time) => WORKLOADS[title](build, time) }];
  });
  const results = await runRounds(Object.fromEntries(variants), { rounds, seconds, warmUpSeconds: 2 }, cluster);
  const comparisons = METRICS.map((metric) => ({ of: 'after', to: 'before', metric, title: metric }));
  report.comparisons.push(...comparisonRows({ title, comparisons }, results));
  report.figures.push(...figureRows({ title }, results));
}

/** Starts a build on a database of its own, which it migrates, and mints the identifiers of the look-ups. */
async function prepare(database, root) {
  await cluster.query('postgres', `CREATE DATABASE ${database}`);
  const server = await servers.mintmark(database, {}, root);
  const names = [];
  // Builds before decision 70 have the record in the member `identifier`, and the items of look-ups in `inputs`.
  let isBeforeDecision70 = false;
  const onResult = (line) => {
    const result = JSON.parse(line);
    isBeforeDecision70 = result.record === undefined;
    const { identifier, metadataId } = result.record ?? result.identifier ?? {};
    if (identifier !== undefined) names.push([identifier, metadataId.slice(metadataId.indexOf('/') + 1)]);
  };
  // Without an Idempotency-Key: the statistics of keyed streams slow down later mints of some builds (workload "after-streams").
  const { status } = await sendBulk(server, mintLines(identifiers), { onResult, key: null });
  if (names.length !== identifiers) throw new Error(`${database}: status ${status}, ${names.length} names`);
  await settle(cluster, database);
  const file = join(cluster.folder, `${database}.tsv`);
  const fewNames = join(cluster.folder, `${database}-few.tsv`);
  const linesOf = (rows) => rows.map((columns) => `${columns.join('\t')}\n`).join('');
  await writeFile(file, linesOf(names));
  await writeFile(fewNames, linesOf(names.slice(0, REDIRECTED)));
  return { server, names, file, fewNames, isBeforeDecision70 };
}

function requests({ server, file }, request, connections, time) {
  return load({
    folder: cluster.folder,
    url: server.url,
    request: { ...request, lines: file },
    connections,
    seconds: time,
  });
}

async function end() {
  await servers.stopAll();
  await cluster.stop();
  process.exit(code);
}

function readArguments() {
  try {
    const text = { type: 'string' };
    const options = { only: text, rounds: text, seconds: text, identifiers: text };
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (positionals.length !== 1) throw new Error('one FOLDER is required');
    const chosen = values.only?.split(',') ?? Object.keys(WORKLOADS);
    const unknown = chosen.find((name) => !(name in WORKLOADS));
    if (unknown !== undefined) throw new Error(`there is no workload "${unknown}"`);
    const whole = (name, otherwise) => Number(values[name] ?? otherwise);
    return {
      folder: resolve(positionals[0]),
      only: chosen,
      rounds: whole('rounds', 3),
      seconds: whole('seconds', 5),
      identifiers: whole('identifiers', 100_000),
    };
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}
