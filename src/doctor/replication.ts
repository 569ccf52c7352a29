import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '../database/migrations.js';
import { type ServerState, readState, requireReadable } from '../database/replica/server-state.js';
import { reasonOf } from '../config/startup-error.js';
import { type Examined, type Found, error, read, warning } from './finding.js';

/** The same limit as for reads of the service: see `ReplicaWatch`. */
const MAX_LAG_MS = 10_000;

const POLL_MS = 200;

const SLOTS = `
  SELECT slot_name AS name, active AS "isActive", coalesce(wal_status, '') AS status,
         coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::float8 / 1073741824 AS gib
  FROM pg_replication_slots WHERE NOT pg_is_in_recovery()`;

/** `sync_state` is null for a role that may not read it; the standby then counts as synchronous. */
const STANDBYS = `
  SELECT current_setting('synchronous_standby_names') AS names,
         (SELECT count(*) FROM pg_stat_replication WHERE coalesce(sync_state, 'sync') IN ('sync', 'quorum'))::int AS connected`;

interface Slot {
  readonly name: string;
  readonly isActive: boolean;
  readonly status: string;
  readonly gib: number;
}

/** Checks replication slots that keep the log on the disk, the synchronous standby, and the replica of READ_DATABASE_URL. */
export async function replication(on: Examined): Promise<Found[]> {
  const slots = (await read<Slot>(on, SLOTS)).flatMap(slotProblem);
  const [{ names, connected } = { names: '', connected: 1 }] = await read<{ names: string; connected: number }>(
    on,
    STANDBYS,
  );
  const standby = `No standby of synchronous_standby_names ("${names}") is connected, so commits wait. Start the standby, or change the setting.`;
  const synchronous = names !== '' && connected === 0 ? error(standby) : [];
  const { readDatabaseUrl } = on.config;
  return [...slots, ...synchronous, ...(readDatabaseUrl === null ? [] : await replica(on, readDatabaseUrl))];
}

function slotProblem({ name, isActive, status, gib }: Slot): Found[] {
  if (status === 'lost')
    return error(`The replication slot "${name}" has lost its log. Drop it, and copy its standby again.`);
  if (isActive || gib < 1) return [];
  return warning(
    `The replication slot "${name}" has no reader, and keeps ${gib.toFixed(1)} GiB of the log. Start its standby, or drop the slot.`,
  );
}

async function replica({ session }: Examined, url: string): Promise<Found[]> {
  const primary = await readState(session);
  const other = await connect(url).catch((reason: unknown) => reasonOf(reason));
  if (typeof other === 'string') {
    return warning(
      `The replica of READ_DATABASE_URL cannot be read: ${other.replaceAll('DATABASE_URL', 'READ_DATABASE_URL')}`,
    );
  }
  try {
    let state: ServerState = await readState(other);
    if (state.database !== primary.database) {
      return error('READ_DATABASE_URL leads to another database than DATABASE_URL. Name a standby of the same server.');
    }
    for (
      const end = performance.now() + MAX_LAG_MS;
      state.position < primary.position;
      state = await readState(other)
    ) {
      if (performance.now() >= end) {
        return warning(
          `The replica of READ_DATABASE_URL is more than ${MAX_LAG_MS / 1000} s behind, and is not read. Look in its log for what delays the replay.`,
        );
      }
      await pause(POLL_MS);
    }
    const denied = await requireReadable(other).then(() => null, reasonOf);
    if (denied === null) return [];
    return error(
      `The role "${other.user}" of READ_DATABASE_URL cannot read the tables, so that the replica is not read: ${denied}. As the owner of the tables, run docs/deployment/roles.sql on the primary, and give the role the search_path of the owner.`,
    );
  } finally {
    await other.end();
  }
}
