import { until } from '../until.js';
import { killPrimary } from './primary-killed.js';

export const title = 'the primary is killed while the asynchronous standby is 3 s behind';

/** Above the lag. */
const READ_AFTER_MS = 4500;

export async function run(setup, check) {
  const { cluster } = setup;
  await cluster.whole();
  const [leader, synchronous] = [await cluster.leader(), await cluster.synchronousStandby()];
  const behind = cluster.members.find((member) => member !== leader && member !== synchronous);
  await behind.query("ALTER SYSTEM SET recovery_min_apply_delay = '3s'", 'SELECT pg_reload_conf()');
  try {
    await killPrimary(setup, check, READ_AFTER_MS);
  } finally {
    await behind.query('ALTER SYSTEM RESET recovery_min_apply_delay', 'SELECT pg_reload_conf()');
  }
  await until('the standby has caught up', 20_000, async () => {
    const [row] = await behind.query(
      'SELECT NOT pg_is_in_recovery() OR pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AS done',
    );
    return row.done;
  });
}
