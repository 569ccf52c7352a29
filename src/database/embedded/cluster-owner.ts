import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '../../config/startup-error.js';
import type { DataFolder } from './data-folder.js';

/** "Mint" in ASCII. The session that holds this advisory lock owns the cluster. */
const OWNER_LOCK = 0x4d696e74;

/** How long a start waits for an earlier service to let go of the folder: it may be stopping right now. */
const OWNER_WAIT_MS = 3000;
const POLL_MS = 250;

/**
 * Opens a session in a running cluster and takes the owner's lock. The lock lives and dies with the service's own
 * connection, so a service that was killed leaves none behind; a file with a process id could not say that.
 * @returns the session that holds the lock, or undefined when another session has it.
 */
export async function claimCluster(url: string): Promise<pg.Client | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [OWNER_LOCK]);
  if (rows[0]?.mine === true) return client;
  await client.end();
  return undefined;
}

/**
 * Waits until nobody owns a cluster that is found running: a server that outlived its service (`kill -9`) is without an
 * owner at once, a stopping service needs a moment, and a service that is just starting takes the lock within it.
 * @throws StartupError when another service keeps it.
 */
export async function waitForNoOwner(folder: DataFolder, isRunning: () => Promise<boolean>): Promise<void> {
  let seenFree = 0;
  for (let waited = 0; waited <= OWNER_WAIT_MS; waited += POLL_MS) {
    if (!(await isRunning())) return;
    const owner = await runningClusterUrl(folder)
      .then(claimCluster)
      // It is on its way up, or on its way down: ask again.
      .catch(() => undefined);
    await owner?.end();
    seenFree = owner === undefined ? 0 : seenFree + 1;
    if (seenFree > 3) return;
    await pause(POLL_MS);
  }
  throw new StartupError(
    `The data folder ${folder.path} is in use by another Mintmark. Stop that one, or set DATA_DIR to another folder.`,
  );
}

/** The address of a database of the cluster. It says that there is no TLS, whatever PGSSLMODE asks of other databases. */
export async function clusterUrl(folder: DataFolder, port: number, database: string): Promise<string> {
  const password = await readFile(folder.passwordFile, 'utf8').catch(() => {
    throw new StartupError(
      `The password of the database, ${folder.passwordFile}, is missing or unreadable. Restore it from the backup of the data folder.`,
    );
  });
  return `postgresql://mintmark:${password.trim()}@127.0.0.1:${port}/${database}?sslmode=disable`;
}

async function runningClusterUrl(folder: DataFolder): Promise<string> {
  // Line 4 of postmaster.pid is the port (PostgreSQL, "Database File Layout").
  const lines = (await readFile(join(folder.cluster, 'postmaster.pid'), 'utf8')).split('\n');
  return clusterUrl(folder, Number(lines[3]), 'postgres');
}
