import { setTimeout as pause } from 'node:timers/promises';
import { underLoad } from '../observed-load.js';
import { until } from '../until.js';

export const title = 'the primary is frozen until another member is primary, and continues';

/** All processes of the member: its host stands still. */
const ALL = /./;

export async function run(setup, check) {
  const { cluster } = setup;
  await cluster.whole();
  const seen = await underLoad(setup, async () => {
    await pause(3000);
    const frozen = await cluster.leader();
    const thaw = frozen.freeze(ALL);
    try {
      await until('another member is primary', 60_000, () => cluster.leader());
      // Acknowledged by the new primary only.
      await pause(4000);
    } finally {
      thaw();
    }
    await cluster.whole();
  });
  check.note(seen.counts, JSON.stringify(seen.requests.statuses()));
  check.complete(seen);
}
