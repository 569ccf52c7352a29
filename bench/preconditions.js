import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { AUTHORITY, STORED } from './rows.js';
import { Skip } from './rounds.js';

/** Number of mints that are verified before the measurement. */
const VERIFIED = 2000;
const AT_ONCE = 64;

const QUIET_MS = 100;

/** The body of a mint; in each request, `{unique}` is replaced by 32 random hexadecimal digits. */
export const MINT_BODY = JSON.stringify({
  namingAuthority: AUTHORITY,
  metadataId: 'hdl:2000.01/{unique}',
  target: 'https://repo.example.org/objects/{unique}',
});

/** Mints, and compares the acknowledged identifiers with the stored identifiers. @returns failures. */
export async function verifyMints(cluster, database, { url }) {
  await cluster.empty(database);
  const acknowledged = [];
  const failures = new Set();
  await inParallel(VERIFIED, AT_ONCE, async () => {
    const body = MINT_BODY.replaceAll('{unique}', randomUUID().replaceAll('-', '').toUpperCase());
    const response = await post(`${url}/identifiers`, body, { 'idempotency-key': randomUUID() });
    if (response.status === 201) acknowledged.push(response.json.identifier);
    else failures.add(`a mint returned ${response.status}: ${response.text.slice(0, 200)}`);
  });
  const rows = await cluster.query(
    database,
    `SELECT (SELECT prefix FROM naming_authority n WHERE n.id = naming_authority_id) || '/' || upper(replace(guid::text, '-', '')) AS identifier FROM identifier`,
  );
  const stored = new Set(rows.map(({ identifier }) => identifier));
  if (new Set(acknowledged).size !== acknowledged.length) failures.add('an identifier was acknowledged twice');
  if (!acknowledged.every((identifier) => stored.has(identifier)))
    failures.add('an acknowledged identifier is not stored');
  if (stored.size !== acknowledged.length) failures.add(`${acknowledged.length} acknowledged, ${stored.size} stored`);
  return [...failures];
}

/**
 * Verifies after a run that every acknowledged identifier is stored and unique. Requests in flight at the end of the run may be
 * stored without being counted.
 * @param inFlight maximum operations in flight: connections times operations in a request. @returns failures.
 */
export async function requireStored(cluster, database, operations, inFlight) {
  await untilQuiet(cluster, database);
  const [{ stored, distinct }] = await cluster.query(database, STORED);
  return [
    ...(stored < operations || stored > operations + inFlight ? [`${operations} acknowledged, ${stored} stored`] : []),
    ...(stored === distinct ? [] : ['identifiers are not unique']),
  ];
}

/** Waits until no statements run: those of disconnected clients would affect the next variant. */
async function untilQuiet(cluster, database) {
  for (let quiet = 0; quiet < 3;) {
    await pause(QUIET_MS);
    const [{ active }] = await cluster.query(
      database,
      `SELECT count(*)::integer AS active FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
    );
    quiet = active === 0 ? quiet + 1 : 0;
  }
}

/** @throws Skip when the service does not have the route, or rejects the request. */
export async function requireRoute({ url }, path, body, type = 'application/json') {
  const { status, text } = await post(`${url}${path}`, body, { 'content-type': type });
  if (status === 404 || status === 405) throw new Skip(`the service has no POST ${path}`);
  if (status >= 400) throw new Skip(`POST ${path} returns ${status}: ${text.slice(0, 200)}`);
}

export async function post(url, body, headers = {}) {
  return read(await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }));
}

export async function get(url) {
  return read(await fetch(url));
}

/** Calls `work` with 0 to `count - 1`, at most `atOnce` concurrently. */
export async function inParallel(count, atOnce, work) {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function read(response) {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
  return { status: response.status, text, json: isJson && !text.includes('\n{') ? JSON.parse(text) : undefined };
}
