/** `npm run bench`: compares the service with PostgreSQL's limits and with baselines. See docs/reference/performance.md. */
import { Cluster } from './cluster.js';
import { describeMachine } from './machine.js';
import { Names } from './names.js';
import { readOptions } from './options.js';
import { hasPgbench, hasPsql } from './postgres-programs.js';
import { comparisonRows, figureRows, reportOf, writeReport } from './report.js';
import { Skip, runRounds } from './rounds.js';
import { Servers } from './servers.js';
import { WORKLOADS } from './workloads/index.js';

const options = readOptions();
const workloads = WORKLOADS.filter(({ name }) => options.only.some((part) => name.includes(part)));
const cluster = await Cluster.start();
const servers = new Servers(cluster, options.profile);
const bench = { cluster, servers, options, names: new Names(cluster) };
const report = { command: commandOf(), comparisons: [], figures: [], skipped: [] };

if (!hasPgbench) report.skipped.push("PostgreSQL's limits, because pgbench is not installed");
if (!hasPsql) report.skipped.push('the limit of bulk loads, because psql is not installed');

let code = 1;
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end);
try {
  report.machine = await describeMachine(cluster);
  for (const workload of workloads) await measure(workload);
  const text = await reportOf(report);
  console.log(text);
  if (options.write) await writeReport(text);
  code = 0;
} catch (error) {
  console.error(error);
}
await end();

async function measure(workload) {
  try {
    console.error(`${workload.title} …`);
    const results = await runRounds(await workload.variants(bench), options, cluster);
    report.comparisons.push(...comparisonRows(workload, results));
    report.figures.push(...figureRows(workload, results));
    for (const [name, { failures }] of results) for (const failure of failures) console.error(`  ${name}: ${failure}`);
  } catch (error) {
    if (!(error instanceof Skip)) throw error;
    report.skipped.push(`${workload.title}: ${error.message}`);
  } finally {
    await servers.stopAll();
  }
}

async function end() {
  await servers.stopAll();
  await cluster.stop();
  process.exit(code);
}

function commandOf() {
  const given = process.argv.slice(2);
  return ['npm run bench', ...(given.length > 0 ? ['--', ...given] : [])].join(' ');
}
