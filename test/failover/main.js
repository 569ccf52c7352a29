// Starts a cluster of three members from the files of deploy/patroni/ with two replicas of the service, and breaks it.
// `npm run test:failover` builds the service before. Needs Debian's packages, which root installs.
//   --if-possible   without the packages: say why and succeed
//   --keep          keep the folder with the logs and data of all programs
//   NAME            run the scenarios whose file has this name; all by default
import { rmSync } from 'node:fs';
import { Check } from './check.js';
import { Cluster } from './cluster.js';
import { requirePackages } from './packages.js';
import { readsFromStandbys, startReplica } from './service.js';
import * as primaryFrozen from './scenarios/primary-frozen.js';
import * as primaryKilled from './scenarios/primary-killed.js';
import * as readOnlyServer from './scenarios/read-only-server.js';
import * as repeatWaits from './scenarios/repeat-waits.js';
import * as standbyBehind from './scenarios/standby-behind.js';
import * as standbyFrozen from './scenarios/standby-frozen.js';
import * as unsafeCluster from './scenarios/unsafe-cluster.js';

/** In this order: the last one loses identifiers. */
const SCENARIOS = {
  'primary-killed': primaryKilled,
  'standby-behind': standbyBehind,
  'primary-frozen': primaryFrozen,
  'standby-frozen': standbyFrozen,
  'repeat-waits': repeatWaits,
  'read-only-server': readOnlyServer,
  'unsafe-cluster': unsafeCluster,
};

const LIMIT_MS = 5 * 60_000;

const options = process.argv.slice(2);
const names = options.filter((option) => !option.startsWith('--'));
for (const name of names) if (!(name in SCENARIOS)) throw new Error(`there is no scenario ${name}`);

if (!requirePackages()) process.exit(options.includes('--if-possible') ? 0 : 1);

const began = performance.now();
const cluster = await Cluster.create();
const isKept = options.includes('--keep');
if (isKept) console.log(`logs and data: ${cluster.folder}`);

// However this process ends, it leaves no process of the cluster behind.
process.once('exit', () => {
  cluster.kill();
  if (!isKept) rmSync(cluster.folder, { recursive: true, force: true });
});
const abort = (why) => {
  console.log(why);
  process.exit(1);
};
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => abort(`ended by ${name}`));
setTimeout(() => abort(`not finished after ${LIMIT_MS / 60_000} minutes`), LIMIT_MS).unref();

const checks = [];
try {
  console.log('starting etcd, three members, HAProxy and two replicas of the service');
  await cluster.start();
  const urls = { url: cluster.url(), readUrl: cluster.replicaUrl };
  const services = [];
  for (const name of ['service1', 'service2']) services.push(await startReplica(cluster.folder, name, urls));
  const setup = { cluster, services, readsFromStandbys: await readsFromStandbys() };
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.log(`${name}: ${scenario.title}`);
    const check = new Check(scenario.title);
    checks.push(check);
    // The next scenario needs a cluster that works, so the run ends with the first error.
    await scenario.run(setup, check).catch((error) => {
      check.fail(error);
      throw error;
    });
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}

for (const { title, rows } of checks) {
  console.log(`\n${title}`);
  console.table(rows.map(({ name, value, expected, holds }) => ({ what: name, value, expected, holds })));
}
const seconds = Math.round((performance.now() - began) / 1000);
const isGood = process.exitCode !== 1 && checks.every(({ holds }) => holds);
console.log(`${isGood ? 'all hold' : 'NOT all hold'} after ${seconds} s`);
process.exit(isGood ? 0 : 1);
