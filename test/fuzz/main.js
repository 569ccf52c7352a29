/**
 * Fuzzes a service on an embedded database in a temporary folder:
 *
 * npm run fuzz -- --runs 50000 --seed X     requests for each operation (default 2000); the seed is random by default
 * npm run fuzz -- --only mintIdentifier     one operation; can be repeated
 * npm run fuzz -- --replay REQUEST          sends one request of a report again, and prints the response
 * npm run fuzz -- --url http://…            uses a running service, to which it writes
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { withHandleApi } from './handle-api-paths.js';
import { report } from './report.js';
import { withResolver } from './resolver-paths.js';
import { fuzz } from './run.js';
import { startOwnService } from './own-service.js';
import { Wire } from './wire.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: randomBytes(6).toString('hex') },
    only: { type: 'string', multiple: true },
    replay: { type: 'string' },
    url: { type: 'string' },
  },
});

const openapi = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8'));
const document = withHandleApi(withResolver(openapi));
const service = values.url === undefined ? await startOwnService() : { url: values.url, stop: async () => true };
try {
  if (values.replay === undefined) await run();
  else await replay(values.replay);
} finally {
  if (!(await service.stop())) {
    console.error('the service did not end as it should');
    process.exitCode = 1;
  }
}

async function run() {
  console.log(`seed ${values.seed}`);
  const started = performance.now();
  const result = await fuzz({
    url: service.url,
    document,
    seed: values.seed,
    runs: Number(values.runs),
    only: values.only,
  });
  console.log(report(result));
  console.log(`${((performance.now() - started) / 1000).toFixed(1)} seconds`);
  if (result.failures.length > 0) process.exitCode = 1;
}

async function replay(given) {
  const bytes = existsSync(given) ? readFileSync(given) : gunzipSync(Buffer.from(given, 'base64'));
  const wire = new Wire(service.url, 1);
  const method = bytes.toString('latin1', 0, 10).split(' ')[0];
  const answer = await wire.send({ bytes, method, operation: { mayWait: false } });
  console.log(answer.failure ?? `${answer.status} ${JSON.stringify(answer.headers)}\n${answer.body.toString()}`);
}
