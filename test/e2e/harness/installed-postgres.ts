import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choosePostgresAccount } from '../../../dist/database/embedded/postgres-account.js';
import { migrate } from '../../../dist/database/migrations.js';

/** A migrated database in a cluster of its own, on a free loopback port. */
export interface InstalledPostgres {
  readonly url: string;
  stop(): Promise<void>;
}

/** The folder in which Debian installs the programs of a major version. */
const folderOf = (major: number): string => `/usr/lib/postgresql/${major}/bin`;

export const isInstalled = (major: number): boolean => existsSync(join(folderOf(major), 'initdb'));

/** Starts the installed PostgreSQL in a temporary folder; as root, under the account that the service would use. */
export async function startInstalledPostgres(major: number): Promise<InstalledPostgres> {
  const [initdb, pg_ctl, postgres] = ['initdb', 'pg_ctl', 'postgres'].map((name) => join(folderOf(major), name)) as [
    string,
    string,
    string,
  ];
  const folder = await mkdtemp(join(tmpdir(), `mintmark-postgres-${major}-`));
  const account = choosePostgresAccount({ initdb, pg_ctl, postgres }, folder);
  await account.own(folder);
  const data = join(folder, 'data');
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const options = [`-p ${port}`, ...settings.map((setting) => `-c ${setting}`)].join(' ');
  const run = async (program: string, ...args: string[]): Promise<void> => {
    const { code, output } = await account.run(program, ['-D', data, ...args]);
    if (code !== 0) throw new Error(`${program} ended with ${String(code)}: ${output}`);
  };
  await run(initdb, '--username=mintmark', '--auth=trust', '--encoding=UTF8', '--locale=C');
  await run(pg_ctl, 'start', '-w', '-l', join(data, 'server.log'), '-o', options);
  const url = `postgresql://mintmark@127.0.0.1:${port}/postgres`;
  await migrate(url);
  return {
    url,
    stop: async () => {
      await run(pg_ctl, 'stop', '-w', '-m', 'immediate');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
