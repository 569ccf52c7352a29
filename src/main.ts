import 'reflect-metadata';
import { StartupError } from './config/startup-error.js';
import { startService } from './service.js';

try {
  const service = await startService();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      service.stop(signal).then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error);
          process.exit(1);
        },
      );
    });
  }
} catch (error) {
  console.error(error instanceof StartupError ? `\nMintmark cannot start.\n\n${error.message}\n` : error);
  process.exit(1);
}
