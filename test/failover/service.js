import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start } from './processes.js';
import { freePorts } from './free-ports.js';
import { until } from './until.js';

const DIST = new URL('../../dist/', import.meta.url);

export const NAMING_AUTHORITY = '100.102';

/** @returns whether the built service reads from standbys by `READ_DATABASE_URL`. */
export async function readsFromStandbys() {
  return (await readFile(new URL('config/environment.js', DIST), 'utf8')).includes('READ_DATABASE_URL');
}

/**
 * Starts a replica of the service over the databases of the URLs, and waits until it is ready. `readUrl` is left out
 * where the build cannot use it.
 * @returns its URL.
 */
export async function startReplica(folder, name, { url, readUrl }) {
  const [port] = await freePorts(1);
  const read = readUrl !== undefined && (await readsFromStandbys()) ? { READ_DATABASE_URL: readUrl } : {};
  const env = { PORT: String(port), DATABASE_URL: url, ...read, ACCESS: 'open', NAMING_AUTHORITIES: NAMING_AUTHORITY };
  const child = start(folder, name, process.execPath, [fileURLToPath(new URL('main.js', DIST))], { env });
  const address = `http://127.0.0.1:${port}`;
  await until(`${name} is ready`, 60_000, async () => {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${await logOf(folder, name)}`);
    return (await fetch(`${address}/health/ready`)).ok;
  });
  return address;
}

/** The log of a replica. */
export function logOf(folder, name) {
  return readFile(join(folder, `${name}.log`), 'utf8');
}
