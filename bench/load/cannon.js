/** The same load as wrk.lua, by autocannon, in a separate process. Argument: JSON with url, connections, seconds and request. */
import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

const { url, connections, seconds, request } = JSON.parse(process.argv[2]);
const lines = request.lines === undefined ? [''] : readFileSync(request.lines, 'utf8').trimEnd().split('\n');

function fill(template, columns) {
  return template?.replaceAll(/\{(\w+)\}/g, (_, name) =>
    name === 'unique' ? randomBytes(16).toString('hex').toUpperCase() : columns[Number(name) - 1],
  );
}

function setupRequest(prepared) {
  const columns = lines[randomInt(lines.length)].split('\t');
  const key = fill(request.idempotencyKey, columns);
  return {
    ...prepared,
    method: request.method,
    path: fill(request.path, columns),
    body: fill(request.body, columns),
    headers: { ...request.headers, ...(key !== undefined && { 'idempotency-key': key }) },
  };
}

const result = await autocannon({ url, connections, duration: seconds, timeout: 60, requests: [{ setupRequest }] });
const { latency, errors, timeouts, non2xx, duration } = result;
const operations = result['2xx'] + non2xx;
const sample = { operations, seconds: duration, p50Ms: latency.p50, p99Ms: latency.p99 };
// Redirects count as successful, as they do for wrk.
console.log(
  `RESULT ${JSON.stringify({ ...sample, rejected: result['4xx'] + result['5xx'], broken: errors + timeouts })}`,
);
