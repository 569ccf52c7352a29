import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const hasPgbench = spawnSync('pgbench', ['--version']).error === undefined;
export const hasPsql = spawnSync('psql', ['--version']).error === undefined;

/** The fraction of transactions whose latency is logged, except for batches, which are all logged. */
const SAMPLING = 0.05;

/**
 * Measures PostgreSQL alone: pgbench runs one prepared statement in each transaction.
 * @param rows number of operations in a transaction.
 */
export async function pgbench(cluster, { database, sql, connections, seconds, rows = 1 }) {
  const folder = join(cluster.folder, 'pgbench');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  await writeFile(join(folder, 'script.sql'), `${sql.replaceAll(/\s+/g, ' ')};\n`);
  const load = ['--client', String(connections), '--jobs', '1', '--time', String(seconds), '--protocol', 'prepared'];
  const logging = ['--log', '--log-prefix', join(folder, 'log'), '--sampling-rate', rows > 1 ? '1' : String(SAMPLING)];
  const { stdout } = await run('pgbench', ['--no-vacuum', ...load, ...logging, '--file', join(folder, 'script.sql')], {
    env: cluster.environment(database),
  });
  const transactions = Number(/transactions actually processed: ([0-9]+)/.exec(stdout)[1]);
  const perSecond = Number(/^tps = ([0-9.]+)/m.exec(stdout)[1]);
  const failed = Number(/failed transactions: ([0-9]+)/.exec(stdout)?.[1] ?? 0);
  const latencies = await readLatencies(folder);
  return {
    operations: transactions * rows,
    requests: transactions,
    seconds: transactions / perSecond,
    p50Ms: latencies[Math.floor(latencies.length * 0.5)],
    p99Ms: latencies[Math.floor(latencies.length * 0.99)],
    failures: failed > 0 ? [`${failed} transactions failed`] : [],
  };
}

/** Sorted latencies in milliseconds; the third column of the log of pgbench is the time of a transaction in microseconds. */
async function readLatencies(folder) {
  const names = (await readdir(folder)).filter((name) => name.startsWith('log'));
  const logs = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const lines = logs.flatMap((log) => log.trimEnd().split('\n')).filter((line) => line !== '');
  return lines.map((line) => Number(line.split(' ')[2]) / 1000).sort((a, b) => a - b);
}

export async function psql(cluster, database, ...commands) {
  const args = commands.flatMap((command) => ['--command', command]);
  await run('psql', ['--quiet', '--no-psqlrc', '--set', 'ON_ERROR_STOP=1', ...args], {
    env: cluster.environment(database),
  });
}
