// `npm run db:migrate` and `npm run db:studio`: run `prisma migrate dev` and `prisma studio` on the embedded PostgreSQL, which
// runs only during the command, unless a service with the same DATA_DIR runs it.
import { spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { readConfig } from '../dist/config/config.js';
import { clusterUrl } from '../dist/database/embedded/cluster-owner.js';
import { startEmbeddedServer } from '../dist/database/embedded/embedded-server.js';

const cli = fileURLToPath(new URL('../node_modules/prisma-cli/build/index.js', import.meta.url));
const cwd = fileURLToPath(new URL('../', import.meta.url));
const [command = 'studio', ...options] = process.argv.slice(2);

// A signal ends the child process; after that, `main` stops the database.
let child;
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    isStopped = true;
    child?.kill(signal);
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main() {
  if (command === 'migrate') requireEngine();
  const database = await openDatabase(readConfig().database);
  try {
    return isStopped ? 1 : await run({ ...process.env, DATABASE_URL: database.url });
  } finally {
    await database.stop();
  }
}

/** @throws Error if the CLI does not run, because it has no schema engine and cannot download one. */
function requireEngine() {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'version'], { cwd, encoding: 'utf8' });
  if (status === 0) return;
  const reason = /^Error: .*/m.exec(`${stderr}\n${stdout}`)?.[0] ?? 'The Prisma CLI does not run.';
  throw new Error(`${reason}

"prisma migrate" needs Prisma's schema engine, a program that the CLI downloads from https://binaries.prisma.sh. Connect to
the Internet, or set PRISMA_SCHEMA_ENGINE_BINARY to the path of this program. To write a migration without it, run "npm run
check:schema", which prints the SQL that is missing.`);
}

/** The database of DATABASE_URL, which only `studio` may use, or the embedded PostgreSQL, started or already running. */
async function openDatabase(configured) {
  const stop = async () => {};
  if ('url' in configured) {
    if (command === 'studio') return { url: configured.url, stop };
    throw new Error(
      'DATABASE_URL is set, and "prisma migrate dev" may offer to empty a database. Unset it to use the embedded one.',
    );
  }
  try {
    return await startEmbeddedServer(configured.dataDir);
  } catch (error) {
    const url = await runningUrl(configured.dataDir).catch(() => undefined);
    if (url === undefined) throw error;
    return { url, stop };
  }
}

/** The URL of the embedded PostgreSQL of a running service. */
async function runningUrl(dataDir) {
  const cluster = join(dataDir, 'postgres');
  // Line 4 is the port (PostgreSQL, "Database File Layout").
  const port = Number((await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[3]);
  const folder = { path: dataDir, cluster, passwordFile: join(dataDir, 'postgres.password') };
  const url = await clusterUrl(folder, port, 'mintmark');
  const session = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  await session.connect();
  await session.end();
  return url;
}

function run(env) {
  child = spawn(process.execPath, [cli, command, ...options], { cwd, env, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      resolve(code ?? 0);
    });
  });
}
