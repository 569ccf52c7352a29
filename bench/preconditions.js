import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { AUTHORITY, STORED } from './rows.js';
import { Skip } from './rounds.js';

/** How many mints are followed one by one before any are timed. */
const FOLLOWED = 2000;
const AT_ONCE = 64;

const QUIET_MS = 100;

/** The body of a mint; `{unique}` becomes another name in each request. */
export const MINT_BODY = JSON.stringify({
  namingAuthority: AUTHORITY,
  metadataId: 'hdl:2000.01/{unique}',
  target: 'https://repo.example.org/objects/{unique}',
});

/** Mints one by one and holds what was acknowledged against what is stored; @returns what is wrong. */
export async function followMints(cluster, database, { url }) {
  await cluster.empty(database);
  const acknowledged = [];
  const failures = new Set();
  await inParallel(FOLLOWED, AT_ONCE, async () => {
    const body = MINT_BODY.replaceAll('{unique}', randomUUID().replaceAll('-', '').toUpperCase());
    const answer = await post(`${url}/identifiers`, body, { 'idempotency-key': randomUUID() });
    if (answer.status === 201) acknowledged.push(answer.json.identifier);
    else failures.add(`a mint was answered with ${answer.status}: ${answer.text.slice(0, 200)}`);
  });
  const rows = await cluster.query(
    database,
    `SELECT naming_authority || '/' || upper(replace(guid::text, '-', '')) AS identifier FROM identifier`,
  );
  const stored = new Set(rows.map(({ identifier }) => identifier));
  if (new Set(acknowledged).size !== acknowledged.length) failures.add('an identifier was acknowledged twice');
  if (!acknowledged.every((identifier) => stored.has(identifier))) failures.add('an acknowledged one is not stored');
  if (stored.size !== acknowledged.length) failures.add(`${acknowledged.length} acknowledged, ${stored.size} stored`);
  return [...failures];
}

/**
 * After a timed run: everything acknowledged is stored and unique. Requests that were under way when the time was up are
 * stored without an answer that anybody counted.
 * @param inFlight most operations that can be: connections times operations in a request.
 */
export async function requireStored(cluster, database, operations, inFlight) {
  await untilQuiet(cluster, database);
  const [{ stored, distinct }] = await cluster.query(database, STORED);
  return [
    ...(stored < operations || stored > operations + inFlight ? [`${operations} acknowledged, ${stored} stored`] : []),
    ...(stored === distinct ? [] : ['identifiers are not unique']),
  ];
}

/** Waits for what a server does on behalf of clients that have gone; else it would be counted with the next contestant. */
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

/** @throws Skip when the service has no such route yet. */
export async function requireRoute({ url }, path, body, type = 'application/json') {
  const answer = await post(`${url}${path}`, body, { 'content-type': type });
  if (answer.status === 404 || answer.status === 405) throw new Skip(`the service has no POST ${path}`);
  if (answer.status >= 400) throw new Skip(`POST ${path} answers ${answer.status}: ${answer.text.slice(0, 200)}`);
}

export async function post(url, body, headers = {}) {
  return read(await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }));
}

export async function get(url) {
  return read(await fetch(url));
}

/** Does something so many times, some at once. */
export async function inParallel(count, atOnce, work) {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function read(answer) {
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') && text !== '';
  return { status: answer.status, text, json: isJson && !text.includes('\n{') ? JSON.parse(text) : undefined };
}
