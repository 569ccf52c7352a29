import { spawn, spawnSync } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { StartupError } from '../../config/startup-error.js';
import { type PostgresBinaries, installFolder } from './postgres-binaries.js';

/** What a finished program left behind. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/**
 * The account that PostgreSQL runs under. PostgreSQL refuses to run as root, so a service started by root lends it the
 * account `postgres` where there is one, else `nobody`; anybody else's service runs it as themselves.
 */
export interface PostgresAccount {
  /** Gives a file or folder to the account. */
  own(path: string): Promise<void>;
  /** Runs one of the PostgreSQL programs to its end; never throws for a non-zero exit code. */
  run(program: string, args: readonly string[]): Promise<Outcome>;
}

/**
 * Chooses the account for a data folder.
 * @param dataDir the folder that holds the cluster; it must exist.
 * @throws StartupError when root has no account that can reach the programs and the folder.
 */
export function choosePostgresAccount(binaries: PostgresBinaries, dataDir: string): PostgresAccount {
  if (process.getuid?.() !== 0) return { own: async () => {}, run: (program, args) => run(program, args, {}) };

  const { uid, gid, name } = unprivilegedAccount();
  const identity = { uid, gid };
  const own = (path: string): Promise<void> => chown(path, uid, gid);
  const reaches = (command: string, args: readonly string[], as: object): boolean =>
    spawnSync(command, args, { ...as, stdio: 'ignore' }).status === 0;

  if (reaches(binaries.initdb, ['--version'], identity) && reaches('test', ['-x', dataDir], identity)) {
    return { own, run: (program, args) => run(program, args, identity) };
  }
  // A checkout below /root or in a fresh temporary folder: its parents are closed to every other account. The server
  // still runs as the unprivileged account, but keeps the one capability that lets it walk through closed folders.
  const lend = passThroughFolders(uid, gid);
  if (reaches('setpriv', [...lend, binaries.initdb, '--version'], {})) {
    return { own, run: (program, args) => run('setpriv', [...lend, program, ...args], {}) };
  }
  throw new StartupError(
    `PostgreSQL does not run as root, and the account "${name}" cannot reach ${installFolder(binaries)} or ${dataDir}. Start Mintmark as an ordinary user, or from a folder that other accounts may enter.`,
  );
}

function unprivilegedAccount(): { name: string; uid: number; gid: number } {
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    if (uid?.status === 0 && gid?.status === 0) return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new StartupError(
    'PostgreSQL does not run as root, and this system has neither an account "postgres" nor "nobody". Start Mintmark as an ordinary user.',
  );
}

function passThroughFolders(uid: number, gid: number): string[] {
  return [
    ...['--reuid', String(uid), '--regid', String(gid), '--clear-groups'],
    ...['--inh-caps', '+dac_override', '--ambient-caps', '+dac_override', '--securebits', '+no_setuid_fixup'],
  ];
}

/** How long the last words of a program that has ended may take to arrive. */
const LAST_OUTPUT_MS = 100;

function run(program: string, args: readonly string[], identity: { uid?: number; gid?: number }): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    // A fixed locale keeps messages readable by the same rules everywhere; the data's own locale is set by initdb.
    const child = spawn(program, args, {
      ...identity,
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
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
    // The server that pg_ctl leaves behind may keep the pipes open, so "close" can be long in coming.
    child.once('exit', (code) => {
      patience = setTimeout(finish, LAST_OUTPUT_MS, code);
    });
  });
}
