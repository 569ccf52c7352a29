import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { StartupError } from './config/startup-error.js';
import { startService } from './service.js';

function fail(error: unknown): never {
  console.error(error instanceof StartupError ? `\nMintmark cannot start.\n\n${error.message}\n` : error);
  process.exit(1);
}

// V8 would let garbage pile up to four times what is in use. Twice is enough: a stream holds 70 MB less with it.
setFlagsFromString('--heap-growing-percent=100');

const starting = startService();
let stopping: Promise<never> | undefined;

// Listened to from the first moment, so that a signal during the start leaves no database behind; and for good, because
// Ctrl-C reaches a service under npm twice, from the terminal and from npm.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopping ??= starting.then((service) => service.stop(signal)).then(() => process.exit(0), fail);
  });
}

starting.then((service) => process.stderr.write(service.welcome), fail);
