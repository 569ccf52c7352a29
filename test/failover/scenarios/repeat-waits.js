import { setTimeout as pause } from 'node:timers/promises';
import { WAL_RECEIVER, withoutStandbyChange } from '../frozen-standby.js';
import { Requests } from '../requests.js';
import { NAMING_AUTHORITY } from '../service.js';
import { until } from '../until.js';

export const title = 'a write whose session ended while it waited for the standby is repeated';

const namingAuthority = NAMING_AUTHORITY;

/** Repeats are answered from rows: by the idempotency key, the stored result of a change or batch, and the metadata ID. */
const writes = ({ identifier, version }) => ({
  'a mint': post('/identifiers', { namingAuthority, target: 'https://objects.example.org/mint' }),
  'a batch': post('/identifiers/batch', { namingAuthority, items: [{ target: 'https://objects.example.org/batch' }] }),
  'a change': {
    ...post(`/identifiers/${identifier}`, { target: 'https://objects.example.org/changed' }, `"${version}"`),
    method: 'PATCH',
  },
  'a mint with a metadata ID': {
    ...post('/identifiers', { namingAuthority, metadataId: 'info:fedora/failover:1' }),
    headers: {},
  },
});

function post(path, body, ifMatch) {
  const headers = { 'Idempotency-Key': `"${crypto.randomUUID()}"` };
  if (ifMatch !== undefined) headers['If-Match'] = ifMatch;
  return { method: 'POST', path, body, headers };
}

const isSuccess = ({ status }) => status >= 200 && status < 300;

export async function run({ cluster, services }, check) {
  await cluster.whole();
  const requests = new Requests(services);
  const record = await requests.send('write', post('/identifiers', { namingAuthority }));
  const interrupted = Object.entries(writes(record.body));
  await withoutStandbyChange(cluster, async () => {
    const thaw = (await cluster.synchronousStandby()).freeze(WAL_RECEIVER);
    try {
      const leader = await cluster.leader();
      for (const [name, request] of interrupted) {
        const first = await interrupt(leader, requests.send('write', request));
        check.equal(`${name}, interrupted`, `${first.status} ${first.body.code}`, '503 OUTCOME_UNKNOWN');
      }
      // Two of each: a repeat at either replica.
      const repeats = interrupted.flatMap(([name, request]) => [0, 1].map(() => ({ name, request })));
      const answers = await Promise.all(repeats.map(({ request }) => requests.send('repeat', request)));
      for (const [name] of interrupted) {
        const early = answers.filter((answer, index) => repeats[index].name === name && isSuccess(answer));
        check.equal(`${name}, acknowledged before the standby has it`, early.length, 0);
      }
      check.most('slowest response to a repeat, s', requests.slowest('repeat'), 15);
    } finally {
      thaw();
    }
  });
  for (const [name, request] of interrupted) {
    const end = performance.now() + 20_000;
    const answer = await requests.acknowledge('late', request, () => performance.now() < end);
    check.equal(`${name}, acknowledged when the standby has it`, answer !== null, true);
  }
}

/** Terminates the sessions that wait for the standby until the request has its response. */
async function interrupt(leader, response) {
  return until('the response', 20_000, async () => {
    await leader.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND usename = 'mintmark'",
    );
    return Promise.race([response, pause(100, undefined)]);
  });
}
