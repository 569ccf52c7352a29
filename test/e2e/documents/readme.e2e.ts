import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { query } from '../harness/database.js';
import { Postgres } from '../harness/postgres.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (name: string) => readFileSync(join(root, name), 'utf8');

/** The commands of a document in order: the blocks marked `sh` and `sql`. */
const blocksOf = (name: string) =>
  [...read(name).matchAll(/^```(sh|sql)\n([\s\S]*?)^```$/gm)].map(([, language, text = '']) => ({ language, text }));

/**
 * The programs of the commands. `curl` sends requests for localhost:3000 to the service under test and fails for a
 * status of 400 and above, unless `-i` shows the status, which the test compares. The programs of `RECORDED` only
 * record their arguments: the test starts the service in the same folder, and compares the arguments with the files
 * that they read.
 */
const PROGRAMS: Readonly<Record<string, string>> = {
  curl: `case "$1" in -i) fail= ;; *) fail=--fail-with-body ;; esac
    exec "$REAL_CURL" --connect-to "localhost:3000:127.0.0.1:$SERVICE_PORT" -sS $fail "$@"`,
};

const OF_ROOT = ['useradd', 'install', 'systemctl', 'journalctl', 'nginx', 'caddy'];
const RECORDED = ['npm', 'npx', 'docker', 'pg_dump', 'pg_restore', 'vacuumdb', ...OF_ROOT];

let folder: string;
let work: string;
let postgres: Postgres;
let service: ChildProcess | undefined;
let servicePort = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mintmark-readme-'));
  mkdirSync(join(folder, 'bin'));
  const recorded = RECORDED.map((name) => [name, `echo "${name} $*" >> "$CALLS"`] as const);
  for (const [name, script] of [...Object.entries(PROGRAMS), ...recorded]) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  postgres = await Postgres.start({ password: 'superuser' });
});
afterAll(async () => {
  await shutDown();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A folder with the files of a checkout that the commands of a document need. */
async function checkOut(): Promise<void> {
  await shutDown();
  work = await mkdtemp(join(folder, 'checkout-'));
  symlinkSync(join(root, 'openapi'), join(work, 'openapi'));
}

/** Starts the service in the folder of the commands, with their `.env`, as `npm start` does. */
async function launch(): Promise<void> {
  await shutDown();
  const { PATH = '', HOME = '' } = process.env;
  // The URL of the README has no port, so that PGPORT applies.
  const env = { PATH, HOME, PORT: '0', PGPORT: String(postgres.port) };
  const child = spawn(process.execPath, [join(root, 'dist/main.js')], {
    cwd: work,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  service = child;
  let words = '';
  servicePort = await new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      words += chunk.toString();
      const found = /Service +http:\/\/127\.0\.0\.1:(\d+)/.exec(words)?.[1];
      if (found !== undefined && words.includes('Ctrl-C')) resolve(found);
    });
    child.once('exit', () => {
      reject(new Error(words));
    });
  });
}

async function shutDown(): Promise<void> {
  const child = service;
  service = undefined;
  if (child?.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/**
 * Runs a block of commands.
 * @returns its output, and the calls of the recorded programs.
 */
function runBlock(text: string): { output: string; calls: string[] } {
  const calls = join(folder, 'calls');
  writeFileSync(calls, '');
  const { PATH = '', HOME = '' } = process.env;
  const realCurl = spawnSync('sh', ['-c', 'command -v curl'], { encoding: 'utf8' }).stdout.trim();
  const env = { PATH: join(folder, 'bin') + delimiter + PATH, HOME, CALLS: calls };
  const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', text], {
    cwd: work,
    encoding: 'utf8',
    env: { ...env, REAL_CURL: realCurl, SERVICE_PORT: servicePort },
  });
  expect([text, status, stderr, stdout]).toEqual([text, 0, '', expect.any(String)]);
  return { output: stdout, calls: readFileSync(calls, 'utf8').split('\n').filter(Boolean) };
}

/** Runs all commands of a document, and starts the service where they do. */
async function runDocument(name: string): Promise<{ output: string; calls: string[] }> {
  const outputs: string[] = [];
  const called: string[] = [];
  for (const { language, text } of blocksOf(name)) {
    if (language === 'sql') {
      for (const statement of text.split(/;$/m).filter((part) => part.trim() !== ''))
        await query(postgres.url, statement);
      continue;
    }
    // A data folder is copied and replaced while the service is stopped.
    if (/\.data\b/.test(text)) await shutDown();
    const { output, calls } = runBlock(text);
    called.push(...calls);
    outputs.push(output);
    if (text.includes('curl ')) expect([text, output.endsWith('\n')]).toEqual([text, true]);
    if (calls.includes('npm start')) await launch();
  }
  return { output: outputs.join(''), calls: called };
}

describe('README.md', () => {
  it('has commands that all run as written, in order', async () => {
    await checkOut();
    const { output, calls } = await runDocument('README.md');
    expect(output).toContain('"target":"https://repo.example.org/objects/8"');
    expect(output).toContain('"state":"withdrawn"');
    expect(output).toContain('"normalized":"hdl:100.102/F58FB49EB1F848F0A606E84CEF294BE5"');
    expect(calls).toEqual(['npm ci', 'npm start', 'npm cit']);
    const { scripts } = JSON.parse(read('package.json'));
    expect([scripts.start, typeof scripts.test]).toEqual(['node scripts/start.js', 'string']);
  });

  it('says that hdl.handle.net resolves nothing before the prefix is registered', () => {
    const [, section = ''] = /^## What does not work yet\n([\s\S]*?)^## /m.exec(read('README.md')) ?? [];
    expect(section).toMatch(/hdl\.handle\.net[\s\S]*only once the prefix[\s\S]*is registered/);
  });
});

describe('docs/tutorial.md', () => {
  it('has commands that all run as written, in order', async () => {
    await checkOut();
    const { output, calls } = await runDocument('docs/tutorial.md');
    expect(calls).toEqual(['npm ci', 'npm start']);
    const statuses = [...output.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => Number(status));
    expect(statuses).toEqual([201, 201, 201, 410]);
    expect(output.match(/^idempotency-replayed: true\r$/gm)).toHaveLength(1);
    expect(output).toContain('"version":2');
    expect(output).toContain('"code":"IDENTIFIER_WITHDRAWN"');
    expect(output).toContain('"identifier":"12345.1/report/2026-11"');
  });
});

describe('docs/how-to', () => {
  const guides = readdirSync(join(root, 'docs/how-to'));

  it('has commands for your own PostgreSQL, keys and containers that all run as written, in order', async () => {
    await checkOut();
    const { calls } = await runDocument('docs/how-to/use-your-own-postgresql.md');
    expect(calls).toEqual(['npm start']);
    expect((await runDocument('docs/how-to/control-access.md')).output).toContain('"secret":"');
    await shutDown();
    // A second run of the commands leaves the file as it is.
    const once = readFileSync(join(work, '.env'), 'utf8');
    for (const { language, text } of blocksOf('docs/how-to/use-your-own-postgresql.md')) {
      if (language === 'sh') runBlock(text);
    }
    expect(readFileSync(join(work, '.env'), 'utf8')).toBe(once);
    const { calls: containers } = await runDocument('docs/how-to/run-in-containers.md');
    expect(containers).toEqual(['docker compose up --build --detach --wait']);
    // Compose stops unless .env has every variable that it marks as required.
    const required = [...read('docker-compose.yml').matchAll(/\$\{([A-Z_]+):?\?/g)].map(([, name]) => name);
    const stored = readFileSync(join(work, '.env'), 'utf8');
    const secrets = ['ADMIN_API_KEY', 'POSTGRES_PASSWORD'];
    expect(new Set(required)).toEqual(new Set([...secrets, 'NAMING_AUTHORITIES']));
    for (const name of secrets) expect(stored.match(new RegExp(`^${name}=[0-9a-f]{48,}$`, 'gm'))).toHaveLength(1);
    expect(stored.match(/^NAMING_AUTHORITIES=\S+$/gm)).toHaveLength(1);
  });

  it('has commands for loading, import, export and backup that all run as written, in order', async () => {
    await checkOut();
    await launch();
    const loaded = (await runDocument('docs/how-to/load-in-bulk.md')).output;
    const lines = loaded.split('\n').filter((line) => line.startsWith('{"line":'));
    expect(lines.map((line) => JSON.parse(line).status)).toEqual([201, 201, 201]);
    const results = (await runDocument('docs/how-to/import-and-export.md')).output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line).outcome);
    expect(results.length).toBeGreaterThan(15);
    // The last two are a preview of a new line and its import.
    expect(results.slice(-2)).toEqual(['imported', 'imported']);
    expect(new Set(results.slice(0, -2))).toEqual(new Set(['unchanged']));
    const { calls } = await runDocument('docs/how-to/back-up-and-restore.md');
    expect(calls.filter((call) => call.startsWith('pg_'))).toHaveLength(2);
    const found = runBlock('curl localhost:3000/identifiers/100.102/0123456789ABCDEF0123456789ABCDEF');
    expect(found.output).toContain('"target":"https://repo.example.org/9"');
  });

  it('has commands for changes in bulk that all run as written, in order', async () => {
    await checkOut();
    await launch();
    const { output } = await runDocument('docs/how-to/change-in-bulk.md');
    const lines = output
      .split('\n')
      .filter((line) => line.startsWith('{"line":'))
      .map((line) => JSON.parse(line));
    const targets = [1, 2, 3].map((number) => `https://new.example.org/objects/${number}`);
    const minted = lines.filter(({ status }) => status === 201);
    const previewed = lines.filter((line) => line.new !== undefined);
    expect(minted).toHaveLength(3);
    expect(previewed.map((line) => line.new.target)).toEqual(targets);
    const changed = lines.filter((line) => line.outcome === 'changed' && line.version === 2 && line.new === undefined);
    // The fourth one is named by its metadata ID, and the last one is withdrawn.
    expect(changed.map(({ record }) => record?.state)).toEqual([
      undefined,
      undefined,
      undefined,
      'active',
      'withdrawn',
    ]);
    for (const [index, { identifier }] of minted.entries()) {
      const found = runBlock(`curl localhost:3000/identifiers/${identifier}`);
      expect(found.output).toContain(`"target":"${targets[index]}"`);
    }
  });

  it('names a generator that is tested, publishes a new version, and installs files that exist', async () => {
    await checkOut();
    await launch();
    const code = await runDocument('docs/how-to/use-from-code.md');
    const [generator = '', path = ''] = /^npx (\S+) .*--path (\S+)/m.exec(code.calls.join('\n'))?.slice(1) ?? [];
    const tested = JSON.parse(read('test/generators/package.json')).dependencies;
    expect([generator in tested, existsSync(join(work, path))]).toEqual([true, true]);
    expect(code.output).toContain('"previousVersion":"hdl:100.102/6D3B0A1C92E84F57B8A4E1D05C7F2396"');
    const { calls } = await runDocument('docs/how-to/deploy-behind-a-proxy.md');
    const installed = calls.flatMap(
      (call) => /^install .*\/opt\/mintmark\/node_modules\/mintmark\/(docs\/\S+)/.exec(call)?.[1] ?? [],
    );
    expect(installed.map((name) => existsSync(join(root, name)))).toEqual([true, true, true]);
    expect(calls).toEqual(expect.arrayContaining(['nginx -t', 'systemctl reload nginx', 'systemctl reload caddy']));
  });

  it('names the package of this version, and its commands', async () => {
    await checkOut();
    const { calls } = await runDocument('docs/how-to/install-the-package.md');
    expect(calls).toEqual([
      'npx --package ./mintmark-0.1.0-beta.1.tgz -- mintmark',
      'npm install ./mintmark-0.1.0-beta.1.tgz',
      'npx mintmark serve',
    ]);
    const rows = [...read('docs/how-to/install-the-package.md').matchAll(/^\| `mintmark (\w+)/gm)].map(
      ([, name]) => name,
    );
    expect(rows).toEqual(['serve', 'migrate', 'doctor', 'version']);
  });

  it('has a file for traces that Node.js parses, and installs what it imports', () => {
    const text = read('docs/how-to/trace.md');
    const [, file = ''] = /```js\n([\s\S]*?)```/.exec(text) ?? [];
    const imported = [...file.matchAll(/ from '((?!node:)[^']+)'/g)].map(([, name]) => name);
    expect(imported.length).toBe(4);
    const [install = ''] = /^npm install .*$/m.exec(text) ?? [];
    expect(imported.filter((name) => !new RegExp(` ${name}@[0-9.]+( |$)`).test(install))).toEqual([]);
    const { status, stderr } = spawnSync(process.execPath, ['--check', '--input-type=module', '-'], { input: file });
    expect([status, stderr.toString()]).toEqual([0, '']);
  });

  it('has no other guide with commands', () => {
    const run = [
      'back-up-and-restore',
      'change-in-bulk',
      'control-access',
      'deploy-behind-a-proxy',
      'import-and-export',
      'load-in-bulk',
    ];
    const more = [
      'install-the-package',
      'resolve-worldwide',
      'run-in-containers',
      'trace',
      'use-from-code',
      'use-your-own-postgresql',
    ];
    const withCommands = guides.filter((name) => blocksOf(`docs/how-to/${name}`).length > 0);
    expect(withCommands.sort()).toEqual([...run, ...more].map((name) => `${name}.md`).sort());
  });
});

describe('docker-compose.yml and the Dockerfile', () => {
  const { services } = parse(read('docker-compose.yml'));

  it('name every image by digest', () => {
    const images = [
      services.database.image,
      ...[...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image),
    ];
    for (const image of images) expect(image).toMatch(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
    expect(images).toHaveLength(4);
  });

  it.each(['database', 'service'])('limit the container of the %s, and have no password of their own', (name) => {
    const container = services[name];
    expect(container.cap_drop).toEqual(['ALL']);
    expect(container.security_opt).toEqual(['no-new-privileges:true']);
    expect(container.mem_limit).toMatch(/^\d+[mg]$/);
    expect(container.pids_limit).toBeGreaterThan(0);
    expect(JSON.stringify(container)).not.toMatch(/(PASSWORD|API_KEY):-/);
  });

  it('check the health every 30 seconds', () => {
    expect(services.database.healthcheck.interval).toBe('30s');
    expect(read('Dockerfile')).toMatch(/^HEALTHCHECK --interval=30s /m);
  });
});
