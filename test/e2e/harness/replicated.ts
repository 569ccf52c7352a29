import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { migrate } from '../../../dist/database/migrations.js';
import { Postgres } from './postgres.js';

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
  /** Starts another standby. @returns its URL. */
  addStandby(): Promise<string>;
  /** Stops all processes of a server, which keep their connections, until the returned function is called. */
  freeze(server: 'primary' | 'standby'): Promise<() => void>;
  stop(): Promise<void>;
}

export async function startReplicated(): Promise<Replicated> {
  const primary = await Postgres.start();
  await migrate(primary.url);
  const standbys: Postgres[] = [];
  const addStandby = async (): Promise<string> => {
    await primary.halt('fast');
    const standby = await primary.standby();
    standbys.push(standby);
    await primary.launch();
    await standby.launchAs('standby');
    return standby.url;
  };
  await addStandby();
  const standby = standbys[0]!;
  return {
    primary: primary.url,
    standby: standby.url,
    killPrimary: async () => {
      process.kill(await primary.pid(), 'SIGKILL');
    },
    startPrimary: () => primary.launch(),
    demotePrimary: async () => {
      await primary.halt('fast');
      await primary.launchAs('standby');
      return async () => {
        await primary.halt('fast');
        await primary.launchAs('primary');
      };
    },
    stopStandby: () => standby.halt(),
    startStandby: () => standby.launch(),
    addStandby,
    freeze: async (server) => {
      const postmaster = await (server === 'primary' ? primary : standby).pid();
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
      await Promise.all(standbys.map((each) => each.halt().catch(() => null)));
      await primary.stop();
    },
  };
}
