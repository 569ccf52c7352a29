import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readConfig } from '../../../dist/config/config.js';
import { Environment } from '../../../dist/config/environment.js';
import { freePort } from '../harness/free-port.js';
import { useService } from '../harness/service.js';

const KEY = 'correct-horse-battery-staple-correct-horse';
const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

describe.each(['nginx.conf', 'Caddyfile'])('docs/deployment/%s', (name) => {
  /** The settings in the first lines of the file. */
  const settings = Object.fromEntries(
    [...read(`docs/deployment/${name}`).matchAll(/^#   ([A-Z_]+)=(.*)$/gm)].map(([, variable, value]) => [
      variable,
      value,
    ]),
  );

  it('begins with settings by which strangers cannot write, and whose URIs lead to the host of the proxy', () => {
    expect(Object.keys(settings)[0]).toBe('ACCESS');
    const config = readConfig({ ...settings, ADMIN_API_KEY: KEY });
    expect(config).toMatchObject({ openAccessHosts: null, trustedProxies: ['127.0.0.1'] });
    expect(config.resolver).toMatchObject({ scheme: 'https', authority: 'ids.example.org', firstSegment: null });
    expect(() => readConfig({ ...settings, ACCESS: 'open' })).toThrow('set ACCESS=keys and ADMIN_API_KEY');
  });
});

describe('docker-compose.yml', () => {
  const { services } = parse(read('docker-compose.yml'));

  it('passes every variable to the service, and demands those that have no safe default', () => {
    const environment: Record<string, string> = services.service.environment;
    // Without the folder of the embedded PostgreSQL, which the image does not have.
    const variables = Object.keys(new Environment()).filter((name) => name !== 'DATA_DIR');
    expect(Object.keys(environment).sort()).toEqual(variables.sort());
    const own = ['HOST', 'PORT', 'ACCESS', 'DATABASE_URL'];
    const demanded = ['ADMIN_API_KEY', 'NAMING_AUTHORITIES'];
    for (const name of variables.filter((each) => !own.includes(each))) {
      const form = demanded.includes(name) ? `\${${name}` : `\${${name}:-}`;
      expect([name, environment[name]?.startsWith(form)]).toEqual([name, true]);
    }
    expect(environment.NAMING_AUTHORITIES).toMatch(/^\$\{NAMING_AUTHORITIES:\?/);
    expect(environment.ADMIN_API_KEY).toMatch(/^\$\{ADMIN_API_KEY\?/);
  });

  it.each(['database', 'service'])('bounds the log of the %s', (name) => {
    expect(services[name].logging).toEqual({ driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } });
  });
});

(has('caddy') ? describe : describe.skip)('Caddy', () => {
  it('accepts its file', () => {
    const file = new URL('../../../docs/deployment/Caddyfile', import.meta.url).pathname;
    const { status, stdout, stderr } = spawnSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], {
      encoding: 'utf8',
    });
    expect([status, stdout, status === 0 || stderr]).toEqual([0, 'Valid configuration\n', true]);
  });
});

(has('nginx') ? describe : describe.skip)('nginx', () => {
  const service = useService();
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-nginx-'));
  let nginx: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const [plain, secure] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${secure}`;
    const proxy = read('docs/deployment/nginx.conf')
      .replace(/^ *(listen \[::\]|ssl_).*\n/gm, '')
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace('listen 443 ssl http2;', `listen 127.0.0.1:${secure};`)
      // Open access accepts its own names only.
      .replaceAll('proxy_set_header Host $host;', 'proxy_set_header Host localhost;')
      .replace('server 127.0.0.1:3000;', `server ${new URL(service.server.url).host};`);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    );
    writeFileSync(join(folder, 'proxy.conf'), proxy);
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
       events {} http { access_log off; ${paths.join(' ')} include ${folder}/proxy.conf; }`,
    );
    const user = process.getuid?.() === 0 ? ['-g', 'user root;'] : [];
    nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), ...user], { stdio: 'inherit' });
    for (const end = Date.now() + 20_000; Date.now() < end;) {
      if ((await fetch(`${url}/health/live`).catch(() => null))?.status === 200) return;
      await pause(50);
    }
    throw new Error(readFileSync(join(folder, 'error.log'), 'utf8'));
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => nginx.once('exit', resolve));
    nginx.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  });

  it('accepts its file with two files of a certificate', () => {
    const [certificate, key] = ['pem', 'key'].map((end) => join(folder, `certificate.${end}`));
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=ids.example.org', '-days', '1'];
    spawnSync('openssl', [...request, '-out', certificate!, '-keyout', key!]);
    const proxy = read('docs/deployment/nginx.conf')
      .replace(/(ssl_certificate +).*;/, `$1${certificate};`)
      .replace(/(ssl_certificate_key +).*;/, `$1${key};`);
    writeFileSync(join(folder, 'as-it-stands.conf'), proxy);
    const main = join(folder, 'check.conf');
    writeFileSync(main, `pid ${folder}/check.pid; events {} http { include ${folder}/as-it-stands.conf; }`);
    const { status, stderr } = spawnSync('nginx', ['-t', '-p', folder, '-c', main], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.stringContaining('test is successful')]);
    expect(stderr).not.toContain('[warn]');
  });

  it.each(['identifiers/lookup', 'normalize'])('counts POST /%s as reads', async (path) => {
    const statuses = new Set<number>();
    // An address may have 100 connections.
    for (let count = 0; count < 300; count += 50) {
      const sent = Array.from({ length: 50 }, () => fetch(`${url}/${path}`, { method: 'POST', body: '{}' }));
      for (const { status } of await Promise.all(sent)) statuses.add(status);
    }
    expect([...statuses]).toEqual([415]);
  });

  it('rejects writes above their rate with a problem document, while resolution goes on', async () => {
    const target = 'https://repo.example.org/1';
    const { identifier } = (await service.client.mint({ target })).body;
    const answers = await Promise.all(
      Array.from({ length: 300 }, () => fetch(`${url}/identifiers`, { method: 'POST', body: '{}' })),
    );
    const rejected = answers.filter(({ status }) => status === 429);
    expect(rejected.length).toBeGreaterThan(50);
    const [first] = rejected;
    expect(first?.headers.get('content-type')).toBe('application/problem+json');
    expect(first?.headers.get('retry-after')).toBe('1');
    expect(first?.headers.get('strict-transport-security')).toBe('max-age=31536000');
    const { body } = await service.client.get('/problems');
    const problem = (await first?.json()) as { title: string };
    expect(problem).toMatchObject({ type: '/problems/RATE_LIMITED', status: 429, code: 'RATE_LIMITED' });
    expect(JSON.stringify(body)).toContain(`"title":"${problem.title}"`);
    for (let count = 0; count < 100; count++) {
      const resolved = await fetch(`${url}/${identifier}`, { redirect: 'manual' });
      expect([resolved.status, resolved.headers.get('location')]).toEqual([302, target]);
    }
  });

  it('rejects a body above its limit with a problem document, and passes on that of the service', async () => {
    await pause(3000);
    const send = (bytes: number) =>
      fetch(`${url}/normalize`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: ' '.repeat(bytes),
      });
    const rejected = await send(17 * 1024 * 1024 + 1);
    expect([rejected.status, rejected.headers.get('content-type')]).toEqual([413, 'application/problem+json']);
    expect(await rejected.json()).toMatchObject({
      ...{ type: '/problems/BODY_TOO_LARGE', title: 'The body is too large.', code: 'BODY_TOO_LARGE' },
    });
    const own = await send(16 * 1024 * 1024 + 1);
    expect(await own.json()).toMatchObject({ code: 'BODY_TOO_LARGE', detail: expect.not.stringContaining('proxy') });
  });
});
