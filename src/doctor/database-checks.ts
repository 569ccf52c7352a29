import { setTimeout as pause } from 'node:timers/promises';
import { plannedMigrations } from '../database/migrations.js';
import { behindTables } from '../storage/changes/position-offset.js';
import type { Config } from '../config/config.js';
import { StartupError } from '../config/startup-error.js';
import { type Examined, type Found, error, read, warning } from './finding.js';

/** Checks the version and encoding of the server, and the migrations that a start would apply or require. */
export async function migrations({ url, config }: Examined): Promise<Found[]> {
  try {
    const names = (await plannedMigrations(url)).map(({ name }) => name);
    if (names.length === 0) return [];
    return error(`The database lacks the migrations ${names.join(', ')}. ${remedyOf(config)}`);
  } catch (reason) {
    if (reason instanceof StartupError) return error(reason.message);
    throw reason;
  }
}

/** `mintmark migrate` needs DATABASE_URL, which the embedded database does not have. */
function remedyOf({ database, mayMigrate }: Config): string {
  if ('dataDir' in database) return 'A start of the service with MIGRATE=on, the default, applies them.';
  const remedy = mayMigrate
    ? 'A start of the service applies them'
    : 'As the owner of the tables, run "mintmark migrate"';
  return `${remedy}; "mintmark migrate --plan" prints them.`;
}

/** The indexes that have texts in the order of the collation of the database. */
const COLLATED = `
  SELECT i.indexrelid::regclass::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE '"default"'::regcollation = ANY (i.indcollation::oid[]) AND c.relnamespace <> ALL ('{pg_catalog,pg_toast}'::regnamespace[])
  ORDER BY 1`;

/** Checks the collation. A new version of the C library or of ICU can sort texts in another order than existing indexes. */
export async function collation(on: Examined): Promise<Found[]> {
  const rows = await read<{ name: string; recorded: string; actual: string }>(
    on,
    `SELECT datname AS name, datcollversion AS recorded, pg_database_collation_actual_version(oid) AS actual FROM pg_database
     WHERE datname = current_database() AND datcollversion IS DISTINCT FROM pg_database_collation_actual_version(oid)`,
  );
  if (rows.length === 0) return [];
  const rebuild = (await read<{ name: string }>(on, COLLATED)).map(({ name }) => `REINDEX INDEX CONCURRENTLY ${name}`);
  return warning(
    ...rows.map(
      ({ name, recorded, actual }) =>
        `The collation of the database was made with version ${recorded}, and the operating system has ${actual}. Run ${[...rebuild, `ALTER DATABASE "${name}" REFRESH COLLATION VERSION`].join('; ')}.`,
    ),
  );
}

const CLOCK_WARNING_MS = 5000;
const CLOCK_ERROR_MS = 60_000;

export async function clock(on: Examined): Promise<Found[]> {
  const sent = Date.now();
  const [{ now, newest } = { now: 0, newest: 0 }] = await read<{ now: number; newest: number }>(
    on,
    `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now,
            coalesce((SELECT extract(epoch FROM max(created_at))::float8 * 1000 FROM identifier), 0) AS newest`,
  );
  const difference = Math.round(now - (sent + Date.now()) / 2);
  const skew = Math.abs(difference);
  const order = difference > 0 ? 'ahead of' : 'behind';
  const apart = `The clock of the database is ${skew / 1000} s ${order} the clock of this machine. Synchronize both by NTP: leases, the expiry of keys and the times of records use the clock of the database.`;
  const late = `The newest identifier has the time ${new Date(newest).toISOString()}, and the clock of the database is at ${new Date(now).toISOString()}.`;
  const isLate = newest - now > CLOCK_WARNING_MS;
  if (skew > CLOCK_WARNING_MS) return (skew > CLOCK_ERROR_MS ? error : warning)(isLate ? `${apart} ${late}` : apart);
  // The clock was ahead, and was corrected. Times of records are never changed.
  return isLate
    ? warning(
        `${late} Both clocks agree. If they are right, set nothing; some identifiers have times in the future until the clocks have passed them.`,
      )
    : [];
}

/** Checks sequences and positions, which can be behind the rows after logical replication or a restore. */
export async function positions({ session }: Examined): Promise<Found[]> {
  const behind = await behindTables(session);
  if (behind.length === 0) return [];
  return error(
    `The rows have higher numbers than ${behind.join(', ')}, so that writes would fail or repeat a position. Restart the service, which raises them.`,
  );
}

/** This is longer than any transaction of the service, except those of a bulk load. */
const HELD_MS = 2000;

const HORIZON = 'SELECT feed_horizon()::text AS oldest, pg_snapshot_xmax(pg_current_snapshot())::text AS next';

/** The oldest visible transaction that has a number. Only a member of pg_read_all_stats sees the transactions of other roles. */
const OLDEST = `
  SELECT format('process %s (%s%s)', pid, coalesce(nullif(application_name, ''), usename), ', since ' || date_trunc('seconds', xact_start)) AS name, xact_start AS at
  FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND datname = current_database()
  UNION ALL
  SELECT format('the prepared transaction "%s" (since %s)', gid, date_trunc('seconds', prepared)), prepared FROM pg_prepared_xacts
  WHERE database = current_database()
  ORDER BY at LIMIT 1`;

/** Checks for a long transaction, because readers of the feed of events wait for the oldest running one. */
export async function runningTransactions(on: Examined): Promise<Found[]> {
  const [before] = await read<{ oldest: string; next: string }>(on, HORIZON);
  if (before === undefined || before.oldest === before.next) return [];
  await pause(HELD_MS);
  const [after] = await read<{ oldest: string }>(on, HORIZON);
  if (after?.oldest !== before.oldest) return [];
  const [oldest] = await read<{ name: string }>(on, OLDEST);
  const name = oldest?.name ?? 'a transaction of another role, which only a member of pg_read_all_stats sees';
  return warning(
    `Events are delayed by a transaction that has not ended for ${HELD_MS / 1000} s or longer: ${name}. End it, by pg_terminate_backend or ROLLBACK PREPARED, if it is not a bulk load.`,
  );
}

const KEYS = `
  SELECT id, client, label, expires_at < clock_timestamp() AS "isExpired", open_access AND confirmed_at IS NULL AS "isUnconfirmed",
         to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day
  FROM api_key
  WHERE revoked_at IS NULL AND (expires_at BETWEEN clock_timestamp() - INTERVAL '7 days' AND clock_timestamp() + INTERVAL '30 days'
                                OR (open_access AND confirmed_at IS NULL))
  ORDER BY expires_at LIMIT 100`;

interface Key {
  readonly id: string;
  readonly client: string;
  readonly label: string | null;
  readonly isExpired: boolean | null;
  readonly isUnconfirmed: boolean;
  readonly day: string | null;
}

export async function keys(on: Examined): Promise<Found[]> {
  const rows = await read<Key>(on, KEYS);
  const isOpen = on.config.openAccessHosts !== null;
  return rows.flatMap(({ id, client, label, isExpired, isUnconfirmed, day }) => {
    const key = `The API key ${id} of "${client}"${label === null ? '' : ` (${label})`}`;
    if (day !== null) {
      return warning(
        `${key} ${isExpired === true ? 'expired' : 'expires'} on ${day}. Create another key with POST /api-keys, and revoke this one.`,
      );
    }
    if (isOpen || !isUnconfirmed) return [];
    return warning(
      `${key} was created under open access, and is rejected until an administrator confirms it. Confirm or revoke it.`,
    );
  });
}
