import 'reflect-metadata';
import { StartupError } from './config/startup-error.js';
import { startService } from './service.js';

function fail(error: unknown): never {
  console.error(error instanceof StartupError ? `\nMintmark cannot start.\n\n${error.message}\n` : error);
  process.exit(1);
}

const starting = startService();

// From the first moment on, so that a signal during the start leaves no database behind.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    starting.then((service) => service.stop(signal)).then(() => process.exit(0), fail);
  });
}

starting.then((service) => process.stderr.write(service.welcome), fail);
