import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '../../config/startup-error.js';
import { type ClusterControl, runningPort } from './cluster-control.js';
import type { DataFolder } from './data-folder.js';

/** "Mint" in ASCII. The session that holds this advisory lock owns the cluster. */
const OWNER_LOCK = 0x4d696e74;

export const OWNER_WAIT_MS = 3000;
const POLL_MS = 250;

const TIMEOUT_MS = 10_000;

/** Takes the owner lock, which is released when the connection ends. @returns undefined if another session has the lock. */
export async function claimCluster(url: string): Promise<pg.Client | undefined> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  // Without a listener, an error would end the process. The event "end" follows every error.
  client.on('error', () => {});
  await client.connect();
  let mine = false;
  try {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [OWNER_LOCK]);
    mine = rows[0]?.mine === true;
  } finally {
    if (!mine) await client.end();
  }
  return mine ? client : undefined;
}

export function inUse(folder: DataFolder): StartupError {
  return new StartupError(
    `The data folder ${folder.path} is in use by another Mintmark process. Stop that process, or set DATA_DIR to another folder. If the folder is a copy of one that was in use, it is incomplete: stop the service on the original and copy the folder again.`,
  );
}

/** Waits until a cluster is stopped, or its lock is found free four times in a row. @throws StartupError if it stays locked. */
export async function waitForNoOwner(folder: DataFolder, server: ClusterControl): Promise<void> {
  let seenFree = 0;
  for (let waited = 0; waited <= OWNER_WAIT_MS; waited += POLL_MS) {
    if (!(await server.isRunning())) return;
    const owner = await runningPort(folder)
      .then((port) => clusterUrl(folder, port, 'postgres'))
      .then(claimCluster)
      .catch(() => undefined);
    await owner?.end();
    seenFree = owner === undefined ? 0 : seenFree + 1;
    if (seenFree > 3) return;
    await pause(POLL_MS);
  }
  throw inUse(folder);
}

/** Returns the URL of a database of the cluster. The URL disables TLS, so that PGSSLMODE has no effect. */
export async function clusterUrl(folder: DataFolder, port: number, database: string): Promise<string> {
  const password = await readFile(folder.passwordFile, 'utf8').catch(() => {
    throw new StartupError(
      `The password file of the database, ${folder.passwordFile}, is missing or unreadable. Restore it from the backup of the data folder.`,
    );
  });
  return `postgresql://mintmark:${password.trim()}@127.0.0.1:${port}/${database}?sslmode=disable`;
}
