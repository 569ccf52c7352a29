import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { choosePostgresAccount } from '../../../dist/database/embedded/postgres-account.js';
import { findPostgresBinaries } from '../../../dist/database/embedded/postgres-binaries.js';
import { migrate } from '../../../dist/database/migrations.js';
import { freePort } from './free-port.js';

const run = promisify(execFile);

/** A migrated database whose server can be replaced by a copy of an earlier state, on the same port. */
export interface FailingOver {
  readonly url: string;
  /** Stops the server, copies its data folder as that of a standby that receives nothing more, and starts it again. */
  standBy(): Promise<void>;
  /** Stops the server, and starts the last copy in its place, in recovery. */
  standIn(): Promise<void>;
  /** Promotes it: it has a new timeline and the transactions of the time of the copy. */
  promote(): Promise<void>;
  /** Stops the server, and starts the last copy as if it were the data folder: a restored backup, without a new timeline. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

export async function startFailingOver(): Promise<FailingOver> {
  const binaries = await findPostgresBinaries();
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-failing-over-'));
  const account = choosePostgresAccount(binaries, folder);
  await account.own(folder);
  const port = await freePort();
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  let current = join(folder, 'data-0');
  let copies = 0;
  const copyName = () => join(folder, `data-${copies}`);
  const call = async (program: string, data: string, ...args: string[]) => {
    const { code, output } = await account.run(program, ['-D', data, ...args]);
    if (code !== 0) throw new Error(output);
  };
  const start = () => call(binaries.pg_ctl, current, 'start', '-w', '-l', join(current, 'log'), '-o', options);
  const halt = (mode: 'fast' | 'immediate') => call(binaries.pg_ctl, current, 'stop', '-w', '-m', mode);
  await call(binaries.initdb, current, '--username=mintmark', '--auth=trust', '--encoding=UTF8', '--locale=C');
  await start();
  const url = `postgresql://mintmark@127.0.0.1:${port}/postgres`;
  await migrate(url);
  return {
    url,
    standBy: async () => {
      await halt('fast');
      copies += 1;
      await run('cp', ['-a', current, copyName()]);
      await start();
    },
    standIn: async () => {
      await halt('immediate');
      current = copyName();
      await writeFile(join(current, 'standby.signal'), '');
      await account.own(join(current, 'standby.signal'));
      await start();
    },
    promote: () => call(binaries.pg_ctl, current, 'promote', '-w'),
    restore: async () => {
      await halt('fast');
      current = copyName();
      await start();
    },
    stop: async () => {
      await halt('immediate');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
