import type pg from 'pg';
import type { Logger } from 'pino';
import { StartupError, reasonOf } from '../../config/startup-error.js';
import { ClusterControl, freePort, runningPort } from './cluster-control.js';
import { clusterUrl, waitForNoOwner } from './cluster-owner.js';
import { ClusterSupervisor } from './cluster-supervisor.js';
import { ensureCluster, folderAt, prepareDataFolder, removeUnfinished } from './data-folder.js';
import { choosePostgresAccount } from './postgres-account.js';
import { findPostgresBinaries } from './postgres-binaries.js';

const DATABASE = 'mintmark';

export interface EmbeddedServer {
  readonly url: string;
  /** Resolves when another process owns the folder, or the server cannot be recovered. */
  readonly lost: Promise<Error>;
  /** Closes sessions and stops the server, unless another process owns the folder. */
  stop(): Promise<void>;
}

/** Starts the PostgreSQL of a data folder. First stops a server that a killed service left running. @throws StartupError */
export async function startEmbeddedServer(dataDir: string, log?: Pick<Logger, 'warn'>): Promise<EmbeddedServer> {
  const binaries = await findPostgresBinaries();
  const folder = await prepareDataFolder(dataDir);
  const account = choosePostgresAccount(binaries, folder.path);
  const server = new ClusterControl(binaries, folder, account);

  if (await server.isRunning()) {
    await waitForNoOwner(folder, server);
    await server.stop();
  }
  await ensureCluster(folder, binaries, account);
  const port = await freePort();
  const ownerUrl = await clusterUrl(folder, port, 'postgres');
  await server.start(port);
  const supervisor = new ClusterSupervisor(server, folder, port, ownerUrl, log);
  try {
    const owner = await supervisor.claim();
    await ensureDatabase(owner);
    await removeUnfinished(folder);
  } catch (error) {
    await supervisor.stop();
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database in ${folder.cluster} cannot be opened: ${reasonOf(error)}`);
  }
  const url = await clusterUrl(folder, port, DATABASE);
  return { url, lost: supervisor.lost, stop: () => supervisor.stop() };
}

/** Returns the URL of the server that runs in a data folder, according to `postmaster.pid`; null without this file. Starts nothing. */
export async function runningServerUrl(dataDir: string): Promise<string | null> {
  const folder = folderAt(dataDir);
  const port = await runningPort(folder);
  return Number.isNaN(port) ? null : clusterUrl(folder, port, DATABASE);
}

async function ensureDatabase(session: pg.Client): Promise<void> {
  const { rowCount } = await session.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
  if (rowCount === 0) await session.query(`CREATE DATABASE ${DATABASE}`);
}
