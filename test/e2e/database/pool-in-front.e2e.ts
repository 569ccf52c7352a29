/** A pool that shares sessions of the server is rejected at the start; one that does not is used. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { createDatabase } from '../harness/database.js';
import { freePort } from '../harness/free-port.js';
import { runToEnd, startServer } from '../harness/server.js';

const PGBOUNCER = '/usr/sbin/pgbouncer';

const onPgBouncer = existsSync(PGBOUNCER) ? describe : describe.skip;

let pool: { child: ChildProcess; folder: string };

/** @returns the URL of the database through the pool. */
async function startPool(database: string, mode: string, size: number): Promise<string> {
  const [url, port] = [new URL(database), await freePort()];
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-pgbouncer-'));
  await chmod(folder, 0o755);
  const config = join(folder, 'pgbouncer.ini');
  const server = `host=127.0.0.1 port=${url.port} user=${url.username} password=${url.password || 'none'}`;
  await writeFile(
    config,
    `[databases]
* = ${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${size}
`,
  );
  const asAccount = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  pool = { child: spawn(PGBOUNCER, ['-q', ...asAccount, config], { stdio: 'ignore' }), folder };
  for (const end = performance.now() + 10_000; performance.now() < end;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) break;
    await pause(50);
  }
  url.host = `127.0.0.1:${port}`;
  return url.href;
}

afterEach(async () => {
  pool.child.kill('SIGKILL');
  await rm(pool.folder, { recursive: true });
});

onPgBouncer('a start through PgBouncer (needs the package pgbouncer)', () => {
  it.each([
    ['transaction', 20],
    ['transaction', 1],
    ['statement', 20],
  ])('with pool_mode = %s and %i sessions is rejected, and says what to do', async (mode, size) => {
    const database = await createDatabase();
    const url = await startPool(database.url, mode, size);
    const { code, stderr } = await runToEnd({ DATABASE_URL: url, ACCESS: 'open' });
    expect(code).toBe(1);
    expect(stderr).toContain('a pool that shares the sessions of the server between its clients');
    expect(stderr).toContain('pool_mode = session');
    expect(stderr).not.toMatch(/^ +at /m);
    await database.drop();
  });

  it('with pool_mode = session succeeds without ignored parameters, and mints at the same time', async () => {
    const database = await createDatabase();
    const url = await startPool(database.url, 'session', 40);
    const server = await startServer({ DATABASE_URL: url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' });
    const client = new Client(server.url);
    const minted = await Promise.all(Array.from({ length: 40 }, () => client.mint()));
    expect(new Set(minted.map(({ status }) => status))).toEqual(new Set([201]));
    await server.stop();
    await database.drop();
  });
});
