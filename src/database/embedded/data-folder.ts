import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { StartupError, reasonOf } from '../../config/startup-error.js';
import type { PostgresAccount } from './postgres-account.js';
import type { PostgresBinaries } from './postgres-binaries.js';

/** Major version of the embedded PostgreSQL, which cannot open the data of another major version. */
const MAJOR_VERSION = '18';

const UNFINISHED = '.unfinished-';

export interface DataFolder {
  readonly path: string;
  readonly cluster: string;
  readonly passwordFile: string;
}

export function folderAt(path: string): DataFolder {
  return { path, cluster: join(path, 'postgres'), passwordFile: join(path, 'postgres.password') };
}

/** Creates the folder, unless it exists. @throws StartupError if it is not a folder, or this account cannot create or use it. */
export async function prepareDataFolder(path: string): Promise<DataFolder> {
  try {
    await mkdir(path, { recursive: true });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOTDIR') {
      throw new StartupError(
        `The data folder ${path} cannot be used, because it, or a folder above it, is a file. Set DATA_DIR to a folder, or move the file.`,
      );
    }
    throw new StartupError(
      `The data folder ${path} cannot be used: ${reasonOf(error)}. Give this account read and write access to it, or set DATA_DIR to another folder.`,
    );
  }
  return folderAt(path);
}

/** Creates the cluster if there is none. An interrupted start leaves no partial cluster. @throws StartupError */
export async function ensureCluster(
  folder: DataFolder,
  binaries: PostgresBinaries,
  account: PostgresAccount,
): Promise<void> {
  const version = await readFile(join(folder.cluster, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined) {
    if (version.trim() === MAJOR_VERSION) return;
    throw new StartupError(
      `The data in ${folder.cluster} was written by PostgreSQL ${version.trim()}; this version of Mintmark contains PostgreSQL ${MAJOR_VERSION}. Dump the data with the older version and load it into a new DATA_DIR.`,
    );
  }
  const unfinished = await mkdtemp(`${folder.cluster}${UNFINISHED}`);
  try {
    await account.own(unfinished);
    await ensurePassword(folder, account);
    const { code, output } = await account.run(binaries.initdb, [
      `--pgdata=${unfinished}`,
      '--username=mintmark',
      `--pwfile=${folder.passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ]);
    if (code !== 0) throw new StartupError(`PostgreSQL could not initialize its data in ${folder.path}: ${output}`);
    await rename(unfinished, folder.cluster);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // A concurrent first start created the cluster, and might have removed these files. PostgreSQL will report that the folder is in use.
    const isFaster = existsSync(join(folder.cluster, 'PG_VERSION'));
    if (isFaster || (error as NodeJS.ErrnoException).code === 'ENOTEMPTY') return;
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The data folder ${folder.path} cannot be used: ${reasonOf(error)}.`);
  }
}

/** Removes the folders that interrupted starts left. A concurrent start can still write to its folder; a later start removes the rest. */
export async function removeUnfinished(folder: DataFolder): Promise<void> {
  const names = await readdir(folder.path);
  const left = names.filter((name) => name.startsWith(`${basename(folder.cluster)}${UNFINISHED}`));
  await Promise.allSettled(left.map((name) => rm(join(folder.path, name), { recursive: true, force: true })));
}

async function ensurePassword(folder: DataFolder, account: PostgresAccount): Promise<void> {
  const password = randomBytes(24).toString('hex');
  await writeFile(folder.passwordFile, password, { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    // Another process or an interrupted start created the file; its password is kept.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
  await account.own(folder.passwordFile);
}
