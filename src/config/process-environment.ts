import { readFileSync } from 'node:fs';
import { databaseUrlProblem } from './addresses.js';
import { StartupError, reasonOf } from './startup-error.js';

/** The environment of the process, with the defaults of the file `.env` in the working folder. @throws StartupError */
export function readProcessEnvironment(): NodeJS.ProcessEnv {
  try {
    // The file is read first, because `loadEnvFile` reports an unreadable file as one that does not exist.
    readFileSync('.env');
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw new StartupError(
        `The file .env in ${process.cwd()} cannot be read: ${reasonOf(error)}. Let this account read it, or start the service in another folder.`,
      );
    }
  }
  return process.env;
}

/** DATABASE_URL, for a command that needs no other variable. @throws StartupError if it is not set or is not a URL of PostgreSQL. */
export function readDatabaseUrl(): string {
  const { DATABASE_URL: url = '' } = readProcessEnvironment();
  if (url === '') {
    throw new StartupError(
      'DATABASE_URL is not set: set it to the database to migrate. A start of the service migrates the embedded PostgreSQL.',
    );
  }
  const [problem] = databaseUrlProblem('DATABASE_URL', url);
  if (problem !== undefined) throw new StartupError(`The configuration is invalid:\n  - ${problem}`);
  return url;
}
