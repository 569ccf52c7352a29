// Builds the service if a source is newer than the build, and runs the tests. Arguments are those of Jest; --timings renews
// test/timings.json, by which long files start first. With UNIT_COVERAGE=1, `npm run coverage -- --report` tells afterwards what
// the unit tests cover.
import { spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build-if-stale.js';
import { machineFactor } from './machine-factor.js';

const args = process.argv.slice(2);
const jest = fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url));
const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const env = { ...process.env, ...(args.includes('--timings') ? { WRITE_TIMINGS: '1' } : {}) };
if (env.UNIT_COVERAGE === '1') {
  env.NODE_V8_COVERAGE = fileURLToPath(new URL('../coverage/v8-unit', import.meta.url));
  rmSync(env.NODE_V8_COVERAGE, { recursive: true, force: true });
}

/** Limits the workers to the number of test files if that is 1 or 2, because each worker starts a PostgreSQL and a service. */
function workersFor(patterns) {
  const files = readdirSync(new URL('../test', import.meta.url), { recursive: true }).filter((path) =>
    /\.(e2e|test)\.ts$/.test(path),
  );
  const count = files.filter((path) => patterns.some((pattern) => `test/${path}`.includes(pattern))).length;
  return count === 1 || count === 2 ? [`--maxWorkers=${count}`] : [];
}

buildIfStale();
// The factor is measured before the tests load the machine.
env.MACHINE_FACTOR ??= machineFactor().toFixed(2);
if (env.MACHINE_FACTOR !== '1.00')
  console.log(`The machine needs ${env.MACHINE_FACTOR} times the usual time; so do limits.`);
const child = spawn(
  process.execPath,
  [
    ...options,
    jest,
    ...workersFor(args.filter((arg, i) => !arg.startsWith('-') && args[i - 1] !== '--selectProjects')),
    ...args.filter((arg) => arg !== '--timings'),
  ],
  {
    env,
    stdio: 'inherit',
  },
);
// On a signal, Jest stops its workers, and they stop the servers of the tests.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
