import { createServer } from 'node:net';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { StartupError, reasonOf } from '../../config/startup-error.js';
import { claimCluster, clusterUrl, waitForNoOwner } from './cluster-owner.js';
import { type DataFolder, ensureCluster, prepareDataFolder, removeUnfinished } from './data-folder.js';
import { type PostgresAccount, choosePostgresAccount } from './postgres-account.js';
import { type PostgresBinaries, findPostgresBinaries } from './postgres-binaries.js';

/** The database's name inside the embedded server. */
const DATABASE = 'mintmark';

/** How long the server may take to start, crash recovery included, and to stop. */
const START_SECONDS = 120;
const STOP_SECONDS = 60;

/** A PostgreSQL of our own, reachable on the loopback address only. */
export interface EmbeddedServer {
  /** `postgresql://…` address of the service's database. */
  readonly url: string;
  /** Ends open sessions, writes everything to disk and stops the server. */
  stop(): Promise<void>;
}

/**
 * Starts the PostgreSQL of a data folder, creating it the first time. A server left running by a service that was killed
 * is stopped first; what it had committed is kept.
 * @throws StartupError when the folder cannot be used, is in use, or PostgreSQL does not start.
 */
export async function startEmbeddedServer(dataDir: string): Promise<EmbeddedServer> {
  const binaries = await findPostgresBinaries();
  const folder = await prepareDataFolder(dataDir);
  const account = choosePostgresAccount(binaries, folder.path);
  const server = new ClusterControl(binaries, folder, account);

  if (await server.isRunning()) {
    await waitForNoOwner(folder, () => server.isRunning());
    await server.stop();
  }
  await ensureCluster(folder, binaries, account);
  const port = await server.start();
  try {
    const owner = await claimCluster(await clusterUrl(folder, port, 'postgres'));
    if (owner === undefined) throw new StartupError(`The data folder ${folder.path} is in use by another Mintmark.`);
    // The session ends with the server; what that means for requests, readiness tells.
    owner.on('error', () => {});
    await ensureDatabase(owner);
    await removeUnfinished(folder);
  } catch (error) {
    await server.stop();
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database in ${folder.cluster} cannot be opened: ${reasonOf(error)}`);
  }
  return { url: await clusterUrl(folder, port, DATABASE), stop: () => server.stop() };
}

/** pg_ctl, PostgreSQL's own way to start and stop a server, for one cluster. */
class ClusterControl {
  constructor(
    private readonly binaries: PostgresBinaries,
    private readonly folder: DataFolder,
    private readonly account: PostgresAccount,
  ) {}

  async isRunning(): Promise<boolean> {
    return (await this.pgCtl('status')).code === 0;
  }

  /** @returns the port it listens on: a free one, since nobody needs to know it. */
  async start(): Promise<number> {
    const port = await freePort();
    const log = join(this.folder.cluster, 'server.log');
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'log_checkpoints=off'];
    const options = [`-p ${port}`, ...settings.map((setting) => `-c ${setting}`)].join(' ');
    const { code, output } = await this.pgCtl('start', '-w', '-t', String(START_SECONDS), '-l', log, '-o', options);
    if (code === 0) return port;
    const lines = (await readFile(log, 'utf8').catch(() => output)).trim().split('\n').slice(-3).join(' | ');
    if (await this.isRunning()) {
      throw new StartupError(`The data folder ${this.folder.path} is in use by another Mintmark.`);
    }
    throw new StartupError(`PostgreSQL did not start on ${this.folder.cluster}: ${lines}`);
  }

  async stop(): Promise<void> {
    const { code, output } = await this.pgCtl('stop', '-m', 'fast', '-w', '-t', String(STOP_SECONDS));
    if (code !== 0 && (await this.isRunning())) throw new Error(`PostgreSQL did not stop: ${output}`);
  }

  private pgCtl(action: string, ...args: string[]): ReturnType<PostgresAccount['run']> {
    return this.account.run(this.binaries.pg_ctl, [action, '-D', this.folder.cluster, ...args]);
  }
}

async function ensureDatabase(session: pg.Client): Promise<void> {
  const { rowCount } = await session.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
  if (rowCount === 0) await session.query(`CREATE DATABASE ${DATABASE}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('no free port'));
      });
    });
  });
}
