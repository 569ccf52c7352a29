import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The process ID of the PostgreSQL server on a data folder, from its lock file; empty when it has ended. */
export function postgresPids(folder: string): number[] {
  const pid = lockedBy(folder);
  if (pid === undefined) return [];
  // After a kill, the ID can be that of no process, a zombie, or another program.
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-o', 'comm=', '-p', pid], { encoding: 'utf8' });
  return /^[^Z]\S* +.*postgres/.test(stdout) ? [Number(pid)] : [];
}

/** Whether a PostgreSQL server runs on a data folder. */
export const postgresRuns = (folder: string): boolean => postgresPids(folder).length > 0;

function lockedBy(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n', 1)[0];
  } catch {
    return undefined;
  }
}
