// Generates clients from the committed OpenAPI document, compiles them strictly, and runs each one against a service of its
// own. `npm run test:generators` builds the service before. Options: the names of generators, all by default.
import { spawn, spawnSync } from 'node:child_process';
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ADDED, laterVersion } from './later-version.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const DOCUMENT = join(root, 'openapi/openapi.json');

// The packages are installed outside the tree, which other checks read.
const folder = await mkdtemp(join(tmpdir(), 'mintmark-generators-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
await cp(new URL('.', import.meta.url), folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
const flags = ['--ignore-scripts', '--no-audit', '--no-fund'];
const install = spawnSync('npm', ['ci', ...flags], { cwd: folder, encoding: 'utf8' });
if (install.status !== 0) {
  console.error(`The generators could not be installed, so that nothing was tested. npm ci wrote:\n${install.stderr}`);
  process.exit(1);
}
const { GENERATORS, bundle } = await import(pathToFileURL(join(folder, 'generators.js')).href);
const chosen = process.argv.slice(2);
for (const name of chosen) if (!(name in GENERATORS)) throw new Error(`there is no generator ${name}`);

const lint = bin('@stoplight/spectral-cli/dist/index.js', [
  'lint',
  DOCUMENT,
  '--ruleset',
  join(folder, 'spectral.yaml'),
]);
assert.equal(lint.status, 0, lint.stdout + lint.stderr);
console.log('spectral accepts the document');

const service = await start(join(folder, 'data'));
const later = await laterVersion(service.url);
let failures = 0;
try {
  for (const [index, name] of Object.keys(GENERATORS).entries()) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    try {
      await check(name, `info:fedora/demo:${index}`);
      console.log(
        `${name}: generates, compiles, mints, lists, exports and streams, also with members and codes of a later version`,
      );
    } catch (error) {
      failures++;
      console.error(`${name}: ${error.stack}`);
    }
  }
} finally {
  await later.stop();
  await service.stop();
}
process.exitCode = failures === 0 ? 0 : 1;

async function check(name, metadataId) {
  const client = join(folder, 'clients', name);
  await mkdir(client, { recursive: true });
  await cp(join(folder, 'uses'), client, {
    recursive: true,
    filter: (path) => !path.endsWith('.ts') || path.endsWith('ndjson.ts') || path.includes(`uses/${name}`),
  });
  await GENERATORS[name](DOCUMENT, client);
  const main = join(client, `${name}.ts`);
  const compiled = bin('typescript/bin/tsc', [
    ...['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext', '--types', 'node'],
    ...['--moduleResolution', 'bundler', '--allowImportingTsExtensions', '--lib', 'es2022,dom,dom.iterable', main],
  ]);
  assert.equal(compiled.status, 0, compiled.stdout);
  const outfile = join(client, 'use.mjs');
  await bundle({ entryPoints: [main], outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'error' });
  await use(outfile, service.url, { metadataId, code: 'UNKNOWN_NAMING_AUTHORITY' });
  await use(outfile, later.url, { metadataId: `${metadataId}-later`, code: ADDED });
}

/** @param code what the client reads as the code of a rejection. */
async function use(client, url, { metadataId, code }) {
  const used = await run(process.execPath, [client, url, metadataId]);
  const { minted, listed, exported, streamed, rejected } = JSON.parse(used);
  assert.match(minted, /^100\.102\/[0-9A-F]{32}$/);
  assert.deepEqual([listed, exported, rejected], [[minted], [minted], code]);
  const [first, second] = streamed;
  assert.match(first.identifier, /^100\.102\/[0-9A-F]{32}$/);
  assert.deepEqual([first.line, first.status], [1, 201]);
  assert.deepEqual(second, { line: 2, status: 422, code });
}

function bin(file, args) {
  return spawnSync(process.execPath, [join(folder, 'node_modules', file), ...args], { cwd: folder, encoding: 'utf8' });
}

function run(program, args) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  return new Promise((resolve, reject) => {
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`ended with ${code}: ${errors}`))));
  });
}

async function start(data) {
  const env = { PATH: process.env.PATH, PORT: '0', DATA_DIR: data };
  const child = spawn(process.execPath, [join(root, 'dist/main.js')], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let output = '';
  const url = await new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      output += chunk;
      const found = /Service +(http\S+)/.exec(output)?.[1];
      if (found !== undefined && output.includes('Ctrl-C')) resolve(found);
    });
    child.once('exit', () => reject(new Error(output)));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { url, stop };
}
