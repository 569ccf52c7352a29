import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { watchNpm } from './config/parent-process.js';
import { logLevelOf } from './config/environment.js';
import { StartupError } from './config/startup-error.js';
import { logFailedStart } from './logging/logger.js';
import { StartInterrupted, bootstrap } from './bootstrap.js';

function fail(error: unknown): never {
  if (error instanceof StartInterrupted) process.exit(0);
  const reason = error instanceof StartupError ? error.message : String(error);
  logFailedStart(logLevelOf(process.env), reason);
  console.error(error instanceof StartupError ? `\nMintmark cannot start.\n\n${error.message}\n` : error);
  process.exit(1);
}

// By default, V8 lets the heap grow to four times the memory in use; with 100 %, only to twice. Streams then use 70 MB less.
setFlagsFromString('--heap-growing-percent=100');

const interruption = new AbortController();
const starting = bootstrap(interruption.signal);
let stopping: Promise<never> | undefined;

function stop(reason: string, exitCode: number): void {
  interruption.abort(reason);
  stopping ??= starting.then((service) => service.stop(reason)).then(() => process.exit(exitCode), fail);
}

// The listeners are installed before the start ends, so that a signal during the start leaves no database running. They are not removed,
// because a service under npm receives the signal of Ctrl-C twice.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stop(signal, 0);
  });
}
watchNpm(() => {
  stop('the parent npm process has ended', 0);
});

starting.then((service) => {
  process.stderr.write(service.banner);
  void service.lost.then(({ message }) => {
    console.error(`\nMintmark stops: the database was lost.\n\n${message}\n`);
    stop('the database was lost', 1);
  });
}, fail);
