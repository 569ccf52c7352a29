import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { choosePostgresAccount } from '../../../dist/database/embedded/postgres-account.js';
import { findPostgresBinaries } from '../../../dist/database/embedded/postgres-binaries.js';

/** A PostgreSQL with the superuser `postgres` and password authentication. */
export interface OwnPostgres {
  readonly port: number;
  /** The URL of the superuser. */
  readonly url: string;
  stop(): Promise<void>;
  /** Starts it again, on the same port: in recovery, as a standby whose primary is gone, or as a primary. */
  startAs(role: 'standby' | 'primary'): Promise<void>;
}

export async function startOwnPostgres(folder: string): Promise<OwnPostgres> {
  const binaries = await findPostgresBinaries();
  await mkdir(join(folder, 'data'), { recursive: true });
  const account = choosePostgresAccount(binaries, folder);
  const password = join(folder, 'password');
  await writeFile(password, 'superuser');
  for (const path of [folder, join(folder, 'data'), password]) await account.own(path);
  const run = async (program: string, args: string[]) => {
    const { code, output } = await account.run(program, args, join(folder, 'data'));
    if (code !== 0) throw new Error(output);
  };
  await run(binaries.initdb, ['-D', '.', '--username=postgres', `--pwfile=${password}`, '--auth=scram-sha-256']);
  const port = await freePort();
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
  const start = () => run(binaries.pg_ctl, ['start', '-D', '.', '-w', '-l', 'log', '-o', options]);
  await start();
  return {
    port,
    url: `postgresql://postgres:superuser@127.0.0.1:${port}/postgres`,
    startAs: async (role) => {
      const signal = join(folder, 'data', 'standby.signal');
      if (role === 'standby') await writeFile(signal, '');
      else await rm(signal, { force: true });
      await start();
    },
    stop: () => run(binaries.pg_ctl, ['stop', '-D', '.', '-w', '-m', 'immediate']),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => {
        resolve(port);
      });
    });
  });
}
