import { Feed } from './feed.js';
import { Ledger } from './ledger.js';
import { Load } from './load.js';
import { Requests } from './requests.js';

/**
 * Runs a fault under load with a consumer of the feed.
 * @param fault gets the load, and returns when the load can end.
 * @param readAfterMs as of `Load`.
 * @returns the requests, and what was lost, doubled or missing.
 */
export async function underLoad({ cluster, services }, fault, readAfterMs) {
  const [requests, polls, ledger] = [new Requests(services), new Requests(services), new Ledger()];
  const load = new Load(requests, ledger, readAfterMs);
  const feed = new Feed(polls);
  feed.start();
  load.start();
  await fault(load);
  await load.finish();
  const { missing, repeated } = await feed.finish(ledger);
  const { lost, doubled } = ledger.compareWithRows(await (await cluster.leader()).identifiers());
  return {
    requests,
    lost,
    doubled,
    missing,
    repeated,
    failures: [...load.failures, ...feed.failures],
    counts: `${ledger.minted.size} identifiers and ${ledger.acknowledgedChanges} changes acknowledged`,
  };
}
