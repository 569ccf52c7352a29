// Installs the package of `npm pack` as its users would, and mints, looks up, resolves, stops and starts again with each: by npx, from
// a registry in a folder with a PostgreSQL 15, by the steps of the image, and without install scripts under each version of Node.js.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Postgres, isInstalled } from '../e2e/harness/postgres.js';
import { run, start, use } from './users.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const KEY = 'correct-horse-battery-staple-correct-horse';
const AS_ADMIN = { authorization: `Bearer ${KEY}` };

// Other accounts must reach the packages.
const folder = await mkdtemp(join(tmpdir(), 'mintmark-package-'));
const folderFor = (user) => {
  const path = join(folder, user);
  mkdirSync(path, { recursive: true });
  return path;
};
run('chmod', ['755', folder], { cwd: root });
// npx keeps what it installs in the cache: it gets one of its own with the archives of the present one.
const cache = folderFor('cache');
symlinkSync(join(run('npm', ['config', 'get', 'cache'], { cwd: root }).trim(), '_cacache'), join(cache, '_cacache'));
const npm = { npm_config_cache: cache, npm_config_prefer_offline: 'true', npm_config_audit: 'false' };

let postgres;
try {
  const tarball = pack();
  const installed = await install(tarball);
  if (installed !== null) {
    postgres = await Postgres.start(isInstalled(15) ? { major: 15 } : {});
    await tryFolder(installed);
    await tryNpx(tarball);
    await tryImage(tarball);
    await tryVersions(tarball);
  }
} finally {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}

function pack() {
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root }));
  const paths = packed.files.map(({ path }) => path);
  const wanted = ['LICENSE', 'sbom.json', 'dist/main.js', 'dist/identifier.d.ts'];
  const bundled = ['index.js', 'index.d.ts'].map((name) => `node_modules/@mintmark/identifier/dist/${name}`);
  assert.deepEqual(
    [...wanted, ...bundled].filter((path) => !paths.includes(path)),
    [],
  );
  const foreign = /^(src|test|scripts|bench|node_modules\/(?!@mintmark\/identifier\/))|^dist\/.*\.map$|^\.env$/;
  assert.deepEqual(
    paths.filter((path) => foreign.test(path)),
    [],
  );
  assert.ok(packed.size > 200_000 && packed.size <= 3_000_000, `${packed.filename} has ${packed.size} bytes`);
  const { components } = JSON.parse(run('tar', ['-xOzf', packed.filename, 'package/sbom.json'], { cwd: folder }));
  assert.ok(components.some(({ name }) => name === 'fastify') && !components.some(({ name }) => name === 'jest'));
  console.log(`${packed.filename} has ${packed.size} bytes`);
  return join(folder, packed.filename);
}

/** Installs from a registry. @returns the folder of an installation with all that it needs, or null where the registry cannot be reached. */
async function install(tarball) {
  const cwd = folderFor('folder');
  const upstream = run('npm', ['config', 'get', 'registry'], { cwd: root }).trim();
  const registry = spawn(process.execPath, ['test/package/registry.js', tarball, upstream], { cwd: root });
  try {
    const [url] = await once(registry.stdout, 'data');
    run('npm', ['install', '--omit=dev', '--registry', String(url).trim(), 'mintmark'], { cwd, env: npm });
  } catch (error) {
    if (!/\b(ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|ENOTCACHED)\b/.test(error.message)) throw error;
    console.log(`The installations were skipped, because the registry of npm cannot be reached: ${error.message}`);
    return null;
  } finally {
    registry.kill();
  }
  const mebibytes = Number(run('du', ['-sk', 'node_modules'], { cwd }).split('\t')[0]) / 1024;
  assert.ok(mebibytes > 100 && mebibytes <= 260, `node_modules has ${mebibytes} MB`);
  console.log(`the installed package has ${mebibytes.toFixed(0)} MB`);
  return cwd;
}

/** With a PostgreSQL 15 of its own, and with types and versions as in the checkout. */
async function tryFolder(cwd) {
  // The service itself runs from one file with the packages of the lockfile.
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const places = [join(cwd, 'node_modules/mintmark'), cwd];
  for (const [name, version] of Object.entries(dependencies)) {
    const file = places.map((place) => join(place, 'node_modules', name, 'package.json')).find(existsSync);
    assert.deepEqual([name, JSON.parse(readFileSync(file, 'utf8')).version], [name, version]);
  }
  assert.ok(!existsSync(join(cwd, 'node_modules/prisma-cli')));

  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(cwd, 'use.ts'),
    `import { parseHandle } from 'mintmark/identifier';
     const read = parseHandle('hdl:100.102/F58FB49EB1F848F0A606E84CEF294BE5');
     export const name: string = read.ok ? 'found' : read.fault.code;`,
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  run(process.execPath, [tsc, '--strict', '--noEmit', '--module', 'nodenext', 'use.ts'], { cwd });

  const env = { DATABASE_URL: postgres.url };
  const mintmark = (...args) => run(join(cwd, 'node_modules/.bin/mintmark'), args, { cwd, env });
  assert.equal(mintmark('version'), '0.1.0-beta.1\n');
  assert.match(mintmark('migrate', '--plan'), /^-- \d{14}_schema\n[^]*CREATE TABLE/m);
  assert.match(mintmark('migrate'), /^applied \d{14}_schema\n$/);
  assert.match(mintmark('migrate', '--plan'), /^-- The database has every migration of Mintmark 0\.1\.0-beta\.1\.\n$/);
  const settings = { ...env, MIGRATE: 'off', ADMIN_API_KEY: KEY, NAMING_AUTHORITIES: '100.102' };
  const serve = () => start('npx', ['mintmark', 'serve'], { cwd, env: settings });
  await (await use(serve, AS_ADMIN)).stop();
  console.log('in a folder with a PostgreSQL of its own, the package migrates and serves');
}

/** In an empty folder, with the embedded PostgreSQL. */
async function tryNpx(tarball) {
  const cwd = folderFor('npx');
  const serve = () => start('npx', ['--yes', '--package', tarball, '--', 'mintmark'], { cwd, env: npm });
  const service = await use(serve);
  service.child.kill('SIGKILL');
  // The service stops by itself.
  await service.ended();
  assert.deepEqual(readdirSync(cwd), ['.data']);
  console.log('by npx, the package serves with its embedded PostgreSQL');
}

/** By the steps of the Dockerfile, under an account that owns no file of it. */
async function tryImage(tarball) {
  const steps = ['scripts/image-steps.js', folderFor('image'), tarball];
  const image = JSON.parse(run(process.execPath, steps, { cwd: root, env: npm }));
  const { folder: cwd, command, healthCheck, env } = image;
  assert.deepEqual([image.user, command[0], env.ACCESS], ['node', 'node', 'keys']);
  const native = run('find', ['.', '-name', '*.node'], { cwd });
  assert.equal(native, '', 'a program of one processor is in the image');
  const [, ...main] = command;
  const settings = { ...env, ADMIN_API_KEY: KEY, NAMING_AUTHORITIES: '100.102', HOST: '127.0.0.1', PORT: '0' };
  const refused = () => run(process.execPath, main, { cwd, env: settings });
  assert.throws(refused, /is not installed\. Install Mintmark without --omit=optional, or set DATABASE_URL to/);
  const account = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};
  settings.DATABASE_URL = postgres.url;
  const service = await use(() => start(process.execPath, main, { cwd, env: settings, ...account }), AS_ADMIN);
  run(process.execPath, healthCheck.slice(1), { cwd, env: { PORT: new URL(service.url).port } });
  await service.stop();
  assert.throws(() => run(process.execPath, healthCheck.slice(1), { cwd, env: { PORT: new URL(service.url).port } }));
  console.log('by the steps of the image, the package serves without the embedded PostgreSQL');
}

/** Installed without install scripts, under each version of Node.js. */
async function tryVersions(tarball) {
  const cwd = folderFor('versions');
  run('npm', ['install', '--omit=dev', '--ignore-scripts', tarball], { cwd, env: npm });
  const main = join(cwd, 'node_modules/mintmark/dist/main.js');
  assert.ok(statSync(main).isFile());
  console.log(run(process.execPath, ['scripts/check-node.js', main], { cwd: root, env: npm }).trim());
}
