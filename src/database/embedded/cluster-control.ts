import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { StartupError } from '../../config/startup-error.js';
import type { DataFolder } from './data-folder.js';
import type { PostgresAccount } from './postgres-account.js';
import type { PostgresBinaries } from './postgres-binaries.js';

/** Maximum time for a start, including crash recovery, and for a stop. */
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

  /**
   * Starts the server and waits for it.
   * @throws StartupError with the end of its log.
   */
  async start(port: number): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'log_checkpoints=off'];
    const options = [`-p ${port}`, ...settings.map((setting) => `-c ${setting}`)].join(' ');
    const { code, output } = await this.pgCtl('start', '-w', '-t', String(START_SECONDS), '-l', LOG, '-o', options);
    if (code === 0) return;
    const lines = (await readFile(join(this.folder.cluster, LOG), 'utf8').catch(() => output))
      .trim()
      .split('\n')
      .slice(-3)
      .join(' | ');
    if (await this.isRunning()) {
      throw new StartupError(`The data folder ${this.folder.path} is in use by another Mintmark process.`);
    }
    throw new StartupError(`PostgreSQL did not start in ${this.folder.cluster}: ${lines}`);
  }

  async stop(): Promise<void> {
    const { code, output } = await this.pgCtl('stop', '-m', 'fast', '-w', '-t', String(STOP_SECONDS));
    if (code !== 0 && (await this.isRunning())) throw new Error(`PostgreSQL did not stop: ${output}`);
  }

  /** NaN if no server runs. */
  async runningPort(): Promise<number> {
    // Line 4 of postmaster.pid is the port (PostgreSQL, "Database File Layout").
    const file = await readFile(join(this.folder.cluster, 'postmaster.pid'), 'utf8').catch(() => '');
    return Number.parseInt(file.split('\n')[3] ?? '', 10);
  }

  /**
   * Runs in the folder of the cluster, because pg_ctl passes its path to a shell, which interprets quotes, "$" and "`".
   */
  private pgCtl(action: string, ...args: string[]): ReturnType<PostgresAccount['run']> {
    return this.account.run(this.binaries.pg_ctl, [action, '-D', '.', ...args], this.folder.cluster);
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('no port is free'));
      });
    });
  });
}
