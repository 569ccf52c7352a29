import { StartupError, reasonOf } from '../config/startup-error.js';
import { type Config, readConfig } from '../config/config.js';
import { describeMisspelled } from '../config/misspelled-variables.js';
import { describeRenamed } from '../config/renamed-variables.js';
import { runningServerUrl } from '../database/embedded/embedded-server.js';
import { connect } from '../database/migrations.js';
import { WRITE_STATE, type WriteState, reasonAgainstWrites } from '../database/writable-server.js';
import { disk } from './disk.js';
import { type Examined, type Finding, type Found, error, ok, read, warning } from './finding.js';
import { compareRecords } from './records.js';
import { replication } from './replication.js';
import { rights } from './rights.js';
import { clock, collation, keys, migrations, positions, runningTransactions } from './database-checks.js';
import { schema } from './schema.js';
import { service } from './service.js';

export interface DoctorOptions {
  /** Number of random identifiers whose records are compared with their histories; 0 for none. */
  readonly records: number;
  readonly json: boolean;
}

const SPACE = 'The disk of the database has enough space.';

/** The checks that need a session. A check without findings prints the text `sound`. */
const CHECKS: readonly (readonly [name: string, sound: string, check: (on: Examined) => Promise<Found[]>])[] = [
  ['migrations', 'The database has every migration of this version.', migrations],
  ['schema', 'The tables, indexes, constraints, functions and triggers are those of this version.', schema],
  ['rights', 'The role has the rights of docs/deployment/roles.sql.', rights],
  ['collation', 'The collation of the database has the version of the operating system.', collation],
  ['clock', 'The clocks of this machine and of the database agree.', clock],
  ['positions', 'New identifiers and events get later numbers than the stored ones.', positions],
  ['feed', 'No transaction delays the feed of events.', runningTransactions],
  ['replication', 'No standby or replication slot needs attention.', replication],
  ['keys', 'No API key expires within 30 days.', keys],
  ['disk', SPACE, ({ config, session }) => disk(config, session)],
];

/** Examines the configuration, the database and the running service, and prints what it finds and what to do. @returns the exit code. */
export async function runDoctor({ records, json }: DoctorOptions): Promise<0 | 1> {
  const findings: Finding[] = [];
  for await (const finding of examine(records)) {
    findings.push(finding);
    if (!json) console.log(`${finding.state.padEnd(7)}  ${finding.check}: ${finding.detail}`);
  }
  if (json) console.log(JSON.stringify({ findings }, null, 2));
  return findings.some(({ state }) => state === 'error') ? 1 : 0;
}

async function* examine(records: number): AsyncGenerator<Finding> {
  let config: Config;
  try {
    config = readConfig();
  } catch (reason) {
    if (!(reason instanceof StartupError)) throw reason;
    yield* named('configuration', error(reason.message));
    return;
  }
  yield* of('configuration', 'The settings are valid.', () => Promise.resolve(configuration(config)));
  yield* of('service', '', () => service(config));
  const { database } = config;
  const url = 'url' in database ? database.url : await runningServerUrl(database.dataDir);
  if (url === null) {
    yield* of('disk', SPACE, () => disk(config));
    const detail = `The embedded PostgreSQL does not run, so the database was not examined. Start the service, and run this again.`;
    yield* named('database', warning(detail));
    return;
  }
  yield* ofDatabase({ config, url }, records);
}

async function* ofDatabase(known: Omit<Examined, 'session'>, records: number): AsyncGenerator<Finding> {
  let on: Examined;
  try {
    on = { ...known, session: await connect(known.url) };
  } catch (reason) {
    yield* named('database', error(reasonOf(reason)));
    return;
  }
  try {
    yield* of('database', 'The database accepts writes.', () => writable(on));
    await on.session.query('SET default_transaction_read_only = on');
    for (const [name, sound, check] of CHECKS) yield* of(name, sound, () => check(on));
    if (records > 0) yield* of('records', '', () => compareRecords(on, records));
  } finally {
    await on.session.end();
  }
}

/** Must run before the session is made read-only. */
async function writable(on: Examined): Promise<Found[]> {
  const [state] = await read<WriteState>(on, `SELECT ${WRITE_STATE}`);
  const reason = state === undefined ? null : reasonAgainstWrites(state);
  if (reason === null) return [];
  const remedy =
    state?.inRecovery === true
      ? 'Correct the host and the port in DATABASE_URL, or promote the standby.'
      : 'Switch default_transaction_read_only off for the server, the database and the role.';
  return error(`${reason} ${remedy}`);
}

async function* of(check: string, sound: string, examineIt: () => Promise<Found[]>): AsyncGenerator<Finding> {
  const found = await examineIt().catch((reason: unknown) =>
    error(`This could not be examined: ${reasonOf(reason)}. Correct what the other findings name, and run this again.`),
  );
  yield* named(check, found.length > 0 ? found : ok(sound));
}

const named = (check: string, found: readonly Found[]): Finding[] => found.map((each) => ({ check, ...each }));

function configuration({ misspelledVariables, renamedVariables }: Config): Found[] {
  return warning(...misspelledVariables.map(describeMisspelled), ...renamedVariables.map(describeRenamed));
}
