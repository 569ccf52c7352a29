import { statfs } from 'node:fs/promises';
import { type Examined, type Found, error, ok, read, warning } from './finding.js';

const GIB = 2 ** 30;

/** Below this share or this size, whichever is less, a warning. */
const WARNING = { share: 0.1, bytes: 10 * GIB };

/** The space that PostgreSQL needs to write its next segments of the log. */
const ERROR = { share: 0.02, bytes: GIB / 4 };

/** @param folder of the embedded PostgreSQL; it need not exist. */
export async function embeddedDisk(folder: string): Promise<Found[]> {
  const found = await spaceOf(folder);
  return found ?? [ok(`The data folder ${folder} does not exist yet; the first start creates it.`)];
}

/** The disk of another server, if it is of this machine and the role may read where its data is. */
export async function serverDisk(on: Examined): Promise<Found[]> {
  if ('dataDir' in on.config.database) return [];
  const [row] = await read<{ folder: string }>(
    on,
    `SELECT setting AS folder FROM pg_settings WHERE name = 'data_directory'`,
  );
  const unseen = ok('The disk of the database server cannot be seen from here. Monitor it there.');
  return row === undefined ? [unseen] : ((await spaceOf(row.folder)) ?? [unseen]);
}

/** Null for a folder that does not exist or may not be read. */
async function spaceOf(folder: string): Promise<Found[] | null> {
  const disk = await statfs(folder).catch(() => null);
  if (disk === null) return null;
  const [free, all] = [disk.bavail * disk.bsize, disk.blocks * disk.bsize];
  const isBelow = ({ share, bytes }: typeof ERROR): boolean => free < Math.min(share * all, bytes);
  const size = (free / GIB).toFixed(free < GIB ? 3 : 0);
  const detail = `The disk of ${folder} has ${size} GiB of free space. Add space, or remove other files; without space, PostgreSQL rejects writes.`;
  return isBelow(ERROR) ? [error(detail)] : isBelow(WARNING) ? [warning(detail)] : [];
}
