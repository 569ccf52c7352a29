import { execFile, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const hasWrk = spawnSync('wrk', ['-v']).error === undefined;

export const loadGenerator = hasWrk ? 'wrk' : 'autocannon';

/**
 * Sends requests to one server for a time. The generator has one thread and shares the processors with the server.
 * @param request method, path, headers, body, idempotencyKey and lines, the path of a file. In path, body and idempotencyKey, `{unique}`
 * is a new value for each use, and `{1}` the first column of a random line of the file, the same line within a request.
 * @returns {Promise<{operations: number, seconds: number, p50Ms: number, p99Ms: number, failures: string[]}>}
 */
export async function load({ folder, url, request, connections, seconds }) {
  const full = { method: 'GET', ...request, headers: { ...jsonType(request), ...request.headers } };
  const { stdout } = hasWrk
    ? await wrk(folder, url, full, connections, seconds)
    : await run(process.execPath, [here('cannon.js'), JSON.stringify({ url, connections, seconds, request: full })]);
  const { rejected, broken, ...sample } = JSON.parse(/^RESULT (.*)$/m.exec(stdout)[1]);
  const failures = [
    ...(rejected > 0 ? [`${rejected} requests were rejected`] : []),
    ...(broken > 0 ? [`${broken} requests had no response`] : []),
    ...(sample.operations === 0 ? ['there was no response'] : []),
  ];
  return { ...sample, failures };
}

async function wrk(folder, url, request, connections, seconds) {
  const file = join(folder, 'request.lua');
  await writeFile(file, `return ${luaTable({ ...request, seed: randomInt(2 ** 31) })}`);
  const sizes = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`];
  return run('wrk', [...sizes, '--timeout', '60s', '--latency', '--script', here('wrk.lua'), url, '--', file]);
}

function jsonType({ body }) {
  return body === undefined ? {} : { 'Content-Type': 'application/json' };
}

/** A literal of Lua for ASCII texts, numbers and objects of them. The escapes of JSON are also valid in Lua. */
function luaTable(value) {
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{ ${members.map(([name, member]) => `["${name}"] = ${luaTable(member)}`).join(', ')} }`;
}
