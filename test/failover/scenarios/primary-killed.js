import { setTimeout as pause } from 'node:timers/promises';
import { underLoad } from '../observed-load.js';
import { until } from '../until.js';

export const title = 'the primary is killed, with a synchronous standby';

export async function run(setup, check) {
  await setup.cluster.whole();
  await killPrimary(setup, check);
}

/**
 * Kills the primary under load, and starts it again when another member has been primary for 5 s.
 * @param readAfterMs as of `Load`.
 */
export async function killPrimary(setup, check, readAfterMs) {
  const { cluster } = setup;
  const killed = await cluster.leader();
  const seen = await underLoad(
    setup,
    async () => {
      await pause(5000);
      killed.kill();
      await until('another member is primary', 60_000, async () => {
        const leader = await cluster.leader();
        return leader !== undefined && leader !== killed;
      });
      await pause(5000);
    },
    readAfterMs,
  );
  check.note(seen.counts, JSON.stringify(seen.requests.statuses()));
  check.complete(seen);
  check.most('longest wait of a write, s', seen.requests.longestWait('write'), 30);
  check.least('reads', seen.requests.acknowledged.filter(({ kind }) => kind === 'read').length, 100);
  if (setup.readsFromStandbys) check.most('longest wait of a read, s', seen.requests.longestWait('read'), 4);
  else
    check.note(`reads waited ${seen.requests.longestWait('read').toFixed(1)} s; not checked without READ_DATABASE_URL`);
  killed.start();
  await cluster.whole();
}
