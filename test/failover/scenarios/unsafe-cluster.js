import { setTimeout as pause } from 'node:timers/promises';
import { Ledger } from '../ledger.js';
import { Load } from '../load.js';
import { Requests } from '../requests.js';
import { until } from '../until.js';

export const title =
  'control: without a synchronous standby, the network of the primary is held for 1.5 s before it is killed';

const HELD_MS = 1500;

/** The processes of the primary that send to the standbys. */
const WAL_SENDER = /walsender/;

/** Must find losses: if it finds none, the comparison of the other scenarios is blind. */
export async function run({ cluster, services }, check) {
  await cluster.whole();
  // The standbys may take over although they lack what was held back.
  await cluster.configure({ synchronous_mode: false, maximum_lag_on_failover: 1024 ** 3 });
  await cluster.whole(false);
  const [requests, ledger] = [new Requests(services), new Ledger()];
  const load = new Load(requests, ledger);
  load.start();
  await pause(3000);
  const killed = await cluster.leader();
  killed.freeze(WAL_SENDER);
  await pause(HELD_MS);
  killed.kill();
  load.abandon();
  await load.finish();
  const leader = await until('another member is primary', 60_000, async () => {
    const member = await cluster.leader();
    return member !== killed && member;
  });
  const { lost } = ledger.compareWithRows(await leader.identifiers());
  check.note(`${ledger.minted.size} identifiers and ${ledger.acknowledgedChanges} changes acknowledged`);
  check.least('acknowledged and lost', lost.length, 1);
}
