import { setTimeout as pause } from 'node:timers/promises';
import { underLoad } from '../observed-load.js';
import { until } from '../until.js';

export const title = 'the primary is killed, with a synchronous standby';

export async function run(setup, check) {
  const { cluster } = setup;
  await cluster.whole();
  const killed = await cluster.leader();
  const seen = await underLoad(setup, async () => {
    await pause(5000);
    killed.kill();
    await until('another member is primary', 60_000, async () => {
      const leader = await cluster.leader();
      return leader !== undefined && leader !== killed;
    });
    await pause(5000);
  });
  check.note(seen.counts, JSON.stringify(seen.requests.statuses()));
  check.complete(seen);
  check.most('longest wait of a write, s', seen.requests.longestWait('write'), 30);
  if (setup.readsFromStandbys) check.most('longest wait of a read, s', seen.requests.longestWait('read'), 4);
  else
    check.note(`reads waited ${seen.requests.longestWait('read').toFixed(1)} s; not checked without READ_DATABASE_URL`);
  killed.start();
  await cluster.whole();
}
