import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { report } from '../fuzz/report.js';
import { fuzz } from '../fuzz/run.js';
import { useService } from './harness/service.js';

const KEY = 'correct-horse-battery-staple-correct-horse';

const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: KEY, BODY_LIMIT_BYTES: '2097152', LOG_LEVEL: 'error' });

const document = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8'));

/** Requests for each operation; `npm run fuzz -- --runs 50000` sends more, and other ones each time. */
const RUNS = Number(process.env.FUZZ_RUNS ?? '2000');

/** The same requests in every build, so that one fails for what it changed; another seed by `FUZZ_SEED`. */
const SEED = process.env.FUZZ_SEED ?? 'mintmark';

it('every answer to valid, mutated and hostile requests is one that the document has, and none is 5xx', async () => {
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
  // What was sent reached the operations: each of them did what it is for, and refused something.
  for (const counts of result.table.values()) {
    const statuses = [...counts.keys()].map(String);
    // A reservation, say, is rarely met by few requests.
    if (RUNS >= 2000) expect(statuses.some((status) => status.startsWith('2'))).toBe(true);
    expect(statuses.some((status) => status.startsWith('4'))).toBe(true);
  }
  expect((await service.client.get('/health/ready')).status).toBe(200);
  expect(service.server.child.exitCode).toBeNull();
  // At this level the log has what nobody foresaw, and nothing else.
  expect(service.server.stdout()).toBe('');
}, 1_800_000);
