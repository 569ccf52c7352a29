import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { withHandleApi } from '../../fuzz/handle-api-paths.js';
import { report } from '../../fuzz/report.js';
import { withResolver } from '../../fuzz/resolver-paths.js';
import { fuzz } from '../../fuzz/run.js';
import { useService } from '../harness/service.js';
import { PATIENT } from '../harness/stalls.js';

const KEY = 'correct-horse-battery-staple-correct-horse';

const service = useService({
  ...PATIENT,
  ...{ ACCESS: 'keys', ADMIN_API_KEY: KEY, INTERFACES: 'api,resolver,handles' },
  ...{ BODY_LIMIT_BYTES: '2097152', LOG_LEVEL: 'error' },
});

const openapi = JSON.parse(readFileSync(new URL('../../../openapi/openapi.json', import.meta.url), 'utf8'));
const document = withHandleApi(withResolver(openapi));

/** Requests for each operation; `npm run fuzz -- --runs 50000` sends more, with a random seed. */
const RUNS = Number(process.env.FUZZ_RUNS ?? '200');

/** The same requests in every build, so that a failure is caused by a change; `FUZZ_SEED` sets another seed. */
const SEED = process.env.FUZZ_SEED ?? 'mintmark';

it('every response to valid, mutated and hostile requests is documented, and none is 5xx', async () => {
  const result = await fuzz({
    url: service.server.url,
    document,
    seed: SEED,
    runs: RUNS,
    headers: [['authorization', `Bearer ${KEY}`]],
  });
  const words = report(result);
  process.stderr.write(`\n${words}`);
  const { child, stderr } = service.server;
  const ending = child.exitCode === null && child.signalCode === null ? '' : stderr();
  if (result.failures.length > 0) throw new Error(`${words}\n${ending}`);
  // The requests reached the operations: each of them succeeded and rejected something.
  for (const [id, counts] of result.table) {
    const statuses = [...counts.keys()].map(String);
    const reaches = (pattern: RegExp) => statuses.some((status) => pattern.test(status));
    expect([id, reaches(/^[23]/), reaches(/^4/)]).toEqual([id, true, true]);
  }
  expect((await service.client.get('/health/ready')).status).toBe(200);
  expect(service.server.child.exitCode).toBeNull();
  // At this level the log contains unexpected errors only.
  expect(service.server.stdout()).toBe('');
}, 1_800_000);
