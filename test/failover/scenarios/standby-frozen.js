import { setTimeout as pause } from 'node:timers/promises';
import { underLoad } from '../observed-load.js';
import { WAL_RECEIVER, withoutStandbyChange } from '../frozen-standby.js';

export const title = 'the synchronous standby is frozen for 22 s, and Patroni does not replace it';

const FROZEN_MS = 22_000;

export async function run(world, check) {
  const { cluster } = world;
  await cluster.whole();
  const seen = await withoutStandbyChange(cluster, () =>
    underLoad(world, async () => {
      await pause(3000);
      const thaw = (await cluster.synchronousStandby()).freeze(WAL_RECEIVER);
      await pause(FROZEN_MS).finally(thaw);
      await pause(3000);
    }),
  );
  check.note(seen.counts, JSON.stringify(seen.requests.statuses()));
  check.most('slowest response to a write, s', seen.requests.slowest('write'), 15);
  check.most('slowest response to a read, s', seen.requests.slowest('read'), 15);
  check.least('writes stood, s', seen.requests.longestGap('write'), FROZEN_MS / 1000 - 2);
  check.note(`reads waited ${seen.requests.longestWait('read').toFixed(1)} s`);
  check.kept(seen);
}
