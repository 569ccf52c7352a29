/** `npm run bench`: measures the service against PostgreSQL's own limits and against its peers. See docs/reference/performance.md. */
import { Cluster } from './cluster.js';
import { describeMachine } from './machine.js';
import { Names } from './names.js';
import { readOptions } from './options.js';
import { hasPgbench, hasPsql } from './postgres-programs.js';
import { comparisonRows, figureRows, reportOf, writeReport } from './report.js';
import { Skip, playRounds } from './rounds.js';
import { Servers } from './servers.js';
import { WORKS } from './workloads/index.js';

const options = readOptions();
const works = WORKS.filter(({ name }) => options.only.some((part) => name.includes(part)));
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
  for (const work of works) await measure(work);
  const text = await reportOf(report);
  console.log(text);
  if (options.write) await writeReport(text);
  code = 0;
} catch (error) {
  console.error(error);
}
await end();

async function measure(work) {
  try {
    console.error(`${work.title} …`);
    const results = await playRounds(await work.variants(bench), options, cluster);
    report.comparisons.push(...comparisonRows(work, results));
    report.figures.push(...figureRows(work, results));
    for (const [name, { failures }] of results) for (const failure of failures) console.error(`  ${name}: ${failure}`);
  } catch (error) {
    if (!(error instanceof Skip)) throw error;
    report.skipped.push(`${work.title}: ${error.message}`);
  } finally {
    await servers.stopAll();
  }
}

async function end() {
  await servers.stopAll();
  await cluster.stop();
  // Prisma's schema engine leaves a timer behind.
  process.exit(code);
}

function commandOf() {
  const given = process.argv.slice(2);
  return ['npm run bench', ...(given.length > 0 ? ['--', ...given] : [])].join(' ');
}
