import { execFile, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const hasWrk = spawnSync('wrk', ['-v']).error === undefined;

/** The program that makes the load, for the report. */
export const loadGenerator = hasWrk ? 'wrk' : 'autocannon';

/**
 * Loads one server for some seconds. The generator has one thread and shares the processors with what it measures.
 * @param request method, path, headers, body, idempotencyKey, lines: texts in which `{unique}` is new each time and `{1}`
 * is the first column of a random line of the file `lines`, the same line throughout one request.
 * @returns {Promise<{operations: number, seconds: number, p50Ms: number, p99Ms: number, failures: string[]}>}
 */
export async function load({ folder, url, request, connections, seconds }) {
  const full = { method: 'GET', ...request, headers: { ...jsonType(request), ...request.headers } };
  const { stdout } = hasWrk
    ? await wrk(folder, url, full, connections, seconds)
    : await run(process.execPath, [here('cannon.js'), JSON.stringify({ url, connections, seconds, request: full })]);
  const { refused, broken, ...sample } = JSON.parse(/^RESULT (.*)$/m.exec(stdout)[1]);
  const failures = [
    ...(refused > 0 ? [`${refused} requests were refused`] : []),
    ...(broken > 0 ? [`${broken} requests got no answer`] : []),
    ...(sample.operations === 0 ? ['nothing was answered'] : []),
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

/** Lua's literals for ASCII texts, numbers and objects of them; a JSON text has only escapes that Lua reads too. */
function luaTable(value) {
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{ ${members.map(([name, member]) => `["${name}"] = ${luaTable(member)}`).join(', ')} }`;
}
