import { statfs } from 'node:fs/promises';
import type pg from 'pg';
import type { Config } from '../config/config.js';
import { type Found, error, ok, warning } from './finding.js';

/** Returns no row for a role without pg_read_all_settings. */
const FOLDER = "SELECT setting AS folder FROM pg_settings WHERE name = 'data_directory'";

const GIB = 2 ** 30;

/** Free space below which there is a warning: this share of the disk or this size, whichever is less. */
const WARNING = { share: 0.1, bytes: 10 * GIB };

/** Free space below which there is an error, by the rule of `WARNING`. PostgreSQL needs this space for its next WAL segments. */
const ERROR = { share: 0.02, bytes: GIB / 4 };

/** Checks the disk of the embedded PostgreSQL, whose folder need not exist, or of another server on this machine. */
export async function disk({ database }: Config, session?: pg.Client): Promise<Found[]> {
  if ('dataDir' in database) {
    const { dataDir } = database;
    return (await spaceOf(dataDir)) ?? ok(`The data folder ${dataDir} does not exist; the first start creates it.`);
  }
  const rows = await session?.query<{ folder: string }>(FOLDER);
  const folder = rows?.rows[0]?.folder;
  const found = folder === undefined ? null : await spaceOf(folder);
  return found ?? ok('The disk of the database server cannot be seen from here. Monitor it there.');
}

async function spaceOf(folder: string): Promise<Found[] | null> {
  const disk = await statfs(folder).catch(() => null);
  if (disk === null) return null;
  const [free, all] = [disk.bavail * disk.bsize, disk.blocks * disk.bsize];
  const isBelow = ({ share, bytes }: typeof ERROR): boolean => free < Math.min(share * all, bytes);
  const size = (free / GIB).toFixed(free < GIB ? 3 : 0);
  const detail = `The disk of ${folder} has ${size} GiB of free space. Add space, or remove other files; without space, PostgreSQL rejects writes.`;
  return isBelow(ERROR) ? error(detail) : isBelow(WARNING) ? warning(detail) : [];
}
