// Runs the built service, or the program given as argument, under each version of Node.js in scripts/node-versions/package.json: mints,
// looks up, reads the documentation, and stops. The programs are npm packages for Linux on x64; on other systems the check is skipped.
import { spawn, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error('Skipped: the versions of Node.js are packages for Linux on x64.');
  process.exit(0);
}

const main = resolve(process.argv[2] ?? fileURLToPath(new URL('../dist/main.js', import.meta.url)));
const folder = await mkdtemp(join(tmpdir(), 'mintmark-node-'));
try {
  await cp(new URL('node-versions', import.meta.url), folder, { recursive: true });
  const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status, stderr } = spawnSync('npm', install, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) await check(name);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function check(name) {
  const node = join(folder, 'node_modules', name, 'bin/node');
  const env = { PATH: process.env.PATH, PORT: '0', DATA_DIR: join(folder, `data-${name}`) };
  const service = spawn(node, [main], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => service.once('exit', resolve));
  let output = '';
  try {
    const url = await new Promise((resolve, reject) => {
      service.stderr.on('data', (chunk) => {
        output += chunk;
        const found = /Service +(http\S+)/.exec(output)?.[1];
        if (found !== undefined && output.includes('Ctrl-C')) resolve(found);
      });
      service.once('exit', () => reject(new Error(output)));
    });
    const body = JSON.stringify({ namingAuthority: '100.102', target: 'https://repo.example.org/objects/7' });
    const headers = { 'content-type': 'application/json' };
    const minted = await expectStatus(201, `${url}/identifiers`, { method: 'POST', headers, body });
    const { identifier } = await minted.json();
    for (const path of [`/identifiers/${identifier}`, '/docs', '/openapi.json', '/health/ready', '/']) {
      await expectStatus(200, url + path);
    }
  } finally {
    service.kill('SIGTERM');
  }
  const code = await ended;
  const { stdout: version } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (code !== 0 || /warning/i.test(output)) throw new Error(`Node.js ${version} ended with ${code}: ${output}`);
  console.log(`The service runs under Node.js ${version.trim()}.`);
}

async function expectStatus(status, url, request) {
  const response = await fetch(url, request);
  if (response.status !== status) throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
  return response;
}
