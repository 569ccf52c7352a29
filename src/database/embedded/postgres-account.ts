import { spawn, spawnSync } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { StartupError } from '../../config/startup-error.js';
import { type PostgresBinaries, installFolder } from './postgres-binaries.js';

/** The environment of the programs. It lacks the secrets of the service, and has a fixed locale, because messages are parsed. */
const ENVIRONMENT: NodeJS.ProcessEnv =
  process.platform === 'win32'
    ? { LC_ALL: 'C', SystemRoot: String.raw`C:\Windows` }
    : { LC_ALL: 'C', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** Runs programs of PostgreSQL, which reject root. A service that runs as root starts them under the account `postgres`, or `nobody`. */
export interface PostgresAccount {
  own(path: string): Promise<void>;
  /** Does not throw for a non-zero exit code. */
  run(program: string, args: readonly string[], cwd?: string): Promise<Outcome>;
}

/** @throws StartupError when the service runs as root, and no other account can access the programs and the folder. */
export function choosePostgresAccount(binaries: PostgresBinaries, dataDir: string): PostgresAccount {
  if (process.getuid?.() !== 0)
    return { own: async () => {}, run: (program, args, cwd) => run(program, args, { cwd }) };

  const { uid, gid, name } = unprivilegedAccount();
  const identity = { uid, gid };
  const own = (path: string): Promise<void> => chown(path, uid, gid);
  const reaches = (command: string, args: readonly string[], as: object): boolean =>
    spawnSync(command, args, { ...as, env: ENVIRONMENT, stdio: 'ignore' }).status === 0;

  if (reaches(binaries.initdb, ['--version'], identity) && reaches('test', ['-x', dataDir], identity)) {
    return { own, run: (program, args, cwd) => run(program, args, { ...identity, cwd }) };
  }
  // If the account cannot traverse parent folders, the server gets the capability to do so.
  const lend = passThroughFolders(uid, gid);
  if (reaches('setpriv', [...lend, binaries.initdb, '--version'], {})) {
    return { own, run: (program, args, cwd) => run('setpriv', [...lend, program, ...args], { cwd }) };
  }
  throw new StartupError(
    `PostgreSQL does not run as root, and the account "${name}" cannot access ${installFolder(binaries)} or ${dataDir}. Start Mintmark as an unprivileged user, or from a folder that other accounts can enter.`,
  );
}

function unprivilegedAccount(): { name: string; uid: number; gid: number } {
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    if (uid?.status === 0 && gid?.status === 0) return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new StartupError(
    'PostgreSQL does not run as root, and this system has neither the account "postgres" nor "nobody". Start Mintmark as an unprivileged user.',
  );
}

function passThroughFolders(uid: number, gid: number): string[] {
  return [
    ...['--reuid', String(uid), '--regid', String(gid), '--clear-groups'],
    ...['--inh-caps', '+dac_override', '--ambient-caps', '+dac_override', '--securebits', '+no_setuid_fixup'],
  ];
}

/** Maximum wait for the remaining output of a program that has ended. */
const LAST_OUTPUT_MS = 100;

interface RunOptions {
  readonly uid?: number;
  readonly gid?: number;
  readonly cwd: string | undefined;
}

function run(program: string, args: readonly string[], options: RunOptions): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', reject);
    let patience: NodeJS.Timeout | undefined;
    const finish = (code: number | null): void => {
      clearTimeout(patience);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ code, output: output.trim() });
    };
    child.once('close', finish);
    // The server that pg_ctl starts keeps the pipes open, which delays "close".
    child.once('exit', (code) => {
      patience = setTimeout(finish, LAST_OUTPUT_MS, code);
    });
  });
}
