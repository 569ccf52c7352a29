import { setTimeout as pause } from 'node:timers/promises';
import { WAL_RECEIVER, withoutStandbyChange } from '../frozen-standby.js';
import { underLoad } from '../observed-load.js';
import { until } from '../until.js';

export const title = 'the synchronous standby is frozen, and Patroni replaces it after 22 s';

const FROZEN_MS = 22_000;

export async function run(setup, check) {
  const { cluster } = setup;
  await cluster.whole();
  const seen = await underLoad(setup, async () => {
    const standby = await cluster.synchronousStandby();
    let thaw;
    try {
      await withoutStandbyChange(cluster, async () => {
        await pause(3000);
        thaw = standby.freeze(WAL_RECEIVER);
        await pause(FROZEN_MS);
      });
      // With the timeout of the files, the primary gives up the frozen standby, and Patroni chooses the other one.
      await until('another standby is synchronous', 20_000, async () => {
        const other = await cluster.synchronousStandby();
        return other !== undefined && other !== standby;
      });
      await pause(3000);
    } finally {
      thaw?.();
    }
  });
  check.note(seen.counts, JSON.stringify(seen.requests.statuses()));
  check.least('writes stood, s', seen.requests.longestGap('write'), FROZEN_MS / 1000 - 2);
  check.most('slowest response to a write, s', seen.requests.slowest('write'), 15);
  check.most('slowest response to a read, s', seen.requests.slowest('read'), 15);
  check.most('longest wait of a read, s', seen.requests.longestWait('read'), 15);
  check.complete(seen);
}
