import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { StartupError } from '../../config/startup-error.js';
import type { DataFolder } from './data-folder.js';
import type { PostgresAccount } from './postgres-account.js';
import type { PostgresBinaries } from './postgres-binaries.js';

/** Maximum time for a start, including crash recovery. */
export const START_SECONDS = 120;
const STOP_SECONDS = 60;

const LOG = 'server.log';

export class ClusterControl {
  constructor(
    private readonly binaries: PostgresBinaries,
    private readonly folder: DataFolder,
    private readonly account: PostgresAccount,
  ) {}

  async isRunning(): Promise<boolean> {
    return existsSync(this.folder.cluster) && (await this.pgCtl('status')).code === 0;
  }

  /** Starts the server and waits until it accepts connections. @throws StartupError with the last lines of its log. */
  async start(port: number): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'log_checkpoints=off'];
    const options = [`-p ${port}`, ...settings.map((setting) => `-c ${setting}`)].join(' ');
    const log = join(this.folder.cluster, LOG);
    const { size } = await stat(log).catch(() => ({ size: 0 }));
    const { code, output } = await this.pgCtl('start', '-w', '-t', String(START_SECONDS), '-l', LOG, '-o', options);
    if (code === 0) return;
    // If the log has no new lines, pg_ctl could not start the server at all, so the output of pg_ctl is shown.
    const added = (await readFile(log).catch(() => Buffer.alloc(0))).subarray(size).toString().trim();
    const lines = (added === '' ? output : added).trim().split('\n').slice(-3).join(' | ');
    if (await this.isRunning()) {
      throw new StartupError(`The data folder ${this.folder.path} is in use by another Mintmark process.`);
    }
    throw new StartupError(`PostgreSQL did not start in ${this.folder.cluster}: ${lines}${adviceFor(lines)}`);
  }

  async stop(): Promise<void> {
    const { code, output } = await this.pgCtl('stop', '-m', 'fast', '-w', '-t', String(STOP_SECONDS));
    if (code !== 0 && (await this.isRunning())) throw new Error(`PostgreSQL did not stop: ${output}`);
  }

  /** Runs pg_ctl in the folder of the cluster, because pg_ctl would pass a path to a shell, which interprets quotes, "$" and "`". */
  private pgCtl(action: string, ...args: string[]): ReturnType<PostgresAccount['run']> {
    return this.account.run(this.binaries.pg_ctl, [action, '-D', '.', ...args], this.folder.cluster);
  }
}

/** Returns the port in `postmaster.pid`, a file that exists while a server runs or after its crash; NaN without the file. */
export async function runningPort({ cluster }: DataFolder): Promise<number> {
  // Line 4 of postmaster.pid is the port (PostgreSQL, "Database File Layout").
  const file = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  return Number.parseInt(file.split('\n')[3] ?? '', 10);
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /lock file "?postmaster\.pid|is another postmaster/i,
    'Another server uses the folder, or it is a copy of one that was in use. Stop the service on the original, and copy the folder again.',
  ],
  [
    /wrong ownership|invalid permissions|Permission denied/i,
    'Files of the folder belong to another account, or others may read them. Copy the folder with "cp -a" and start the service with the account that created it.',
  ],
  [
    /checkpoint record|invalid (?:primary )?checkpoint|control file|could not (?:open|read) file|WAL (?:ends|file)/i,
    'The folder is incomplete or damaged, as a copy of a running database is. Restore a copy that was made while the service was stopped.',
  ],
  [/incompatible with (?:this )?server|initialized by PostgreSQL/i, 'Another version of PostgreSQL wrote the folder.'],
  [/No space left/i, 'Free space on the disk.'],
];

function adviceFor(log: string): string {
  const advice = ADVICE.find(([cause]) => cause.test(log))?.[1];
  return advice === undefined ? '' : `\n${advice}`;
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await once(probe.close(), 'close');
  return port;
}
