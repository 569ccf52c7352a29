import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestDatabase, createDatabase } from '../harness/database.js';
import { freePort } from '../harness/free-port.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const unit = readFileSync(join(root, 'docs/deployment/mintmark.service'), 'utf8');
const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** The values of a setting of the unit. */
const valuesOf = (name: string) =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

/** The folder in which the unit expects the package. */
const PACKAGE = '/opt/mintmark/node_modules/mintmark/';

describe('docs/deployment/mintmark.service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-unit-'));
  let database: TestDatabase;
  let url: string;
  let environment: Record<string, string>;

  beforeAll(async () => {
    database = await createDatabase();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const own = Object.fromEntries(valuesOf('Environment').map((pair) => pair.split('=')));
    const file = { DATABASE_URL: database.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102', PORT: String(port) };
    environment = { ...own, ...file };
  });
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  /** Starts what the unit starts, where the checkout is the package. */
  async function start(): Promise<ChildProcess> {
    const [command = ''] = valuesOf('ExecStart');
    const [program = '', ...args] = command.replace(PACKAGE, root).split(' ');
    expect(program).toBe('/usr/bin/node');
    const child = spawn(process.execPath, args, { cwd: folder, env: environment, stdio: 'ignore' });
    for (let tries = 0; tries < 600; tries++) {
      if ((await fetch(`${url}/health/ready`).catch(() => null))?.status === 200) return child;
      await pause(50);
    }
    throw new Error('the service did not become ready');
  }

  /** Stops it as systemd does, and returns how it ended. */
  async function stop(child: ChildProcess): Promise<unknown[]> {
    const ended = new Promise<unknown[]>((resolve) => {
      child.once('exit', (...how) => {
        resolve(how);
      });
    });
    child.kill((valuesOf('KillSignal')[0] ?? 'SIGTERM') as NodeJS.Signals);
    return ended;
  }

  (has('systemd-analyze') ? it : it.skip)('is accepted by systemd', () => {
    const file = join(folder, 'mintmark.service');
    // systemd requires that the program exists.
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  it('gives a stop the time that the drain may take', () => {
    // SHUTDOWN_TIMEOUT_MS (25 s), and 10 s in which the components stop.
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(35);
  });

  it('stops and starts under load without the loss of an acknowledged identifier', async () => {
    const [acknowledged, statuses] = [new Set<string>(), new Set<number>()];
    let isLoaded = true;
    const mint = async () => {
      const body = JSON.stringify({ namingAuthority: '100.102', target: 'https://repo.example.org/1' });
      while (isLoaded) {
        const headers = { 'content-type': 'application/json' };
        const response = await fetch(`${url}/identifiers`, { method: 'POST', headers, body }).catch(() => null);
        if (response !== null) statuses.add(response.status);
        if (response?.status === 201) acknowledged.add(((await response.json()) as { identifier: string }).identifier);
        else await pause(20);
      }
    };
    const first = await start();
    const load = Promise.all(Array.from({ length: 8 }, mint));
    while (acknowledged.size < 100) await pause(20);
    expect(await stop(first)).toEqual([0, null]);
    const before = acknowledged.size;
    const second = await start();
    while (acknowledged.size < before + 100) await pause(20);
    isLoaded = false;
    await load;
    for (const status of statuses) expect([201, 503]).toContain(status);
    for (const identifier of acknowledged) {
      expect([identifier, (await fetch(`${url}/identifiers/${identifier}`)).status]).toEqual([identifier, 200]);
    }
    expect(await stop(second)).toEqual([0, null]);
  });
});
