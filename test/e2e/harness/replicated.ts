import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { choosePostgresAccount } from '../../../dist/database/embedded/postgres-account.js';
import { findPostgresBinaries } from '../../../dist/database/embedded/postgres-binaries.js';
import { migrate } from '../../../dist/database/migrations.js';
import { freePort } from './free-port.js';

const run = promisify(execFile);

/** A migrated database with a standby that receives its log by streaming, without synchronous commits. */
export interface Replicated {
  readonly primary: string;
  readonly standby: string;
  /** Ends the primary as a loss of power does. */
  killPrimary(): Promise<void>;
  startPrimary(): Promise<void>;
  /** Starts the primary again as a standby that receives nothing, until the returned function is called. */
  demotePrimary(): Promise<() => Promise<void>>;
  stopStandby(): Promise<void>;
  startStandby(): Promise<void>;
  /** Stops all processes of a server, which keep their connections, until the returned function is called. */
  freeze(server: 'primary' | 'standby'): Promise<() => void>;
  stop(): Promise<void>;
}

export async function startReplicated(): Promise<Replicated> {
  const binaries = await findPostgresBinaries();
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-replicated-'));
  const account = choosePostgresAccount(binaries, folder);
  await account.own(folder);
  const [first, second] = [join(folder, 'primary'), join(folder, 'standby')];
  const [primaryPort, standbyPort] = [await freePort(), await freePort()];
  const call = async (program: string, data: string, ...args: string[]) => {
    const { code, output } = await account.run(program, ['-D', data, ...args]);
    if (code !== 0) throw new Error(output);
  };
  const optionsOf = (port: number) =>
    `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  const start = (data: string, port: number) =>
    call(binaries.pg_ctl, data, 'start', '-w', '-l', join(data, 'log'), '-o', optionsOf(port));
  const halt = (data: string, mode: 'fast' | 'immediate') => call(binaries.pg_ctl, data, 'stop', '-w', '-m', mode);
  const urlOf = (port: number) => `postgresql://mintmark@127.0.0.1:${port}/postgres`;
  await call(binaries.initdb, first, '--username=mintmark', '--auth=trust', '--encoding=UTF8', '--locale=C');
  await start(first, primaryPort);
  await migrate(urlOf(primaryPort));
  await halt(first, 'fast');
  await run('cp', ['-a', first, second]);
  await writeFile(join(second, 'standby.signal'), '');
  await account.own(join(second, 'standby.signal'));
  const source = `primary_conninfo = 'host=127.0.0.1 port=${primaryPort} user=mintmark'\nwal_retrieve_retry_interval = 200ms\n`;
  await writeFile(join(second, 'postgresql.auto.conf'), source);
  await start(first, primaryPort);
  await start(second, standbyPort);
  const postmasterOf = async (data: string) =>
    Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  return {
    primary: urlOf(primaryPort),
    standby: urlOf(standbyPort),
    killPrimary: async () => {
      process.kill(await postmasterOf(first), 'SIGKILL');
    },
    startPrimary: () => start(first, primaryPort),
    demotePrimary: async () => {
      const signal = join(first, 'standby.signal');
      await halt(first, 'fast');
      await writeFile(signal, '');
      await account.own(signal);
      await start(first, primaryPort);
      return async () => {
        await halt(first, 'fast');
        await rm(signal);
        await start(first, primaryPort);
      };
    },
    stopStandby: () => halt(second, 'immediate'),
    startStandby: () => start(second, standbyPort),
    freeze: async (server) => {
      const postmaster = await postmasterOf(server === 'primary' ? first : second);
      // The postmaster first: it starts no session meanwhile.
      process.kill(postmaster, 'SIGSTOP');
      const { stdout } = await run('pgrep', ['-P', String(postmaster)]);
      const frozen = [postmaster, ...stdout.trim().split('\n').map(Number)];
      for (const pid of frozen.slice(1)) process.kill(pid, 'SIGSTOP');
      return () => {
        for (const pid of frozen) process.kill(pid, 'SIGCONT');
      };
    },
    stop: async () => {
      await Promise.allSettled([first, second].map((data) => halt(data, 'immediate')));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
