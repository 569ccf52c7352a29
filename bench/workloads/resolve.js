import { writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { load } from '../load/load.js';
import { firstNames } from '../names.js';
import { inParallel } from '../preconditions.js';
import { Skip } from '../rounds.js';

/** Number of names that are resolved, each with the same probability; the default size of the cache has room for them. */
const NAMES = 48_000;
const CONNECTIONS = 64;

/** Number of responses that are verified before the measurement. */
const VERIFIED = 200;

/** Headers that the variant `fastify` writes itself, so that they are not copied from the response of the service. */
const OWN_HEADERS = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

export const resolve = {
  name: 'resolve',
  title: `resolution of ${NAMES} random names, ${CONNECTIONS} connections`,
  comparisons: [
    { of: 'filled cache', to: 'fastify', least: 0.6, aim: 0.75 },
    { of: 'no cache', to: 'fastify', least: 0.45 },
    { of: 'one connection', to: 'fastify, one connection', least: 0.85, aim: 0.95 },
  ],
  variants: (bench) => reads(bench, { start: '/', verify: verifyRedirect }),
};

export const handles = {
  name: 'handles',
  title: `GET /api/handles of ${NAMES} random names, ${CONNECTIONS} connections`,
  comparisons: [{ of: 'filled cache', to: 'fastify', least: 0.55, aim: 0.7 }],
  variants: (bench) => reads(bench, { start: '/api/handles/', verify: verifyValues }),
};

/** @param start the path before a name. @param verify returns what is wrong in a response; null for nothing. */
async function reads({ cluster, servers, names, options }, { start, verify }) {
  const { database, lines: all } = await names.of(options.identifiers);
  const lines = join(cluster.folder, 'resolve.tsv');
  const rows = await firstNames(all, NAMES);
  await writeFile(lines, rows.map((row) => `${row.join('\t')}\n`).join(''));
  const cached = await servers.mintmark(database);
  const uncached = await servers.mintmark(database, { RECORD_CACHE_ENTRIES: '0' });
  const fastify = await servers.fastifyRedirect(await writeResponse(cluster, cached, start + rows[0][0]));
  const variant = (server, connections, more = {}) => ({
    server,
    ...more,
    run: (seconds) =>
      load({ folder: cluster.folder, url: server.url, request: { path: `${start}{1}`, lines }, connections, seconds }),
  });
  const verified = (server) => () => verifyAll(server, start, rows, verify);
  // Fills the cache. While the other variants run, this server receives no requests, so that its polls end and its cache is emptied.
  const before = () => inParallel(rows.length, CONNECTIONS, (index) => request(cached, start + rows[index][0]));
  return {
    'filled cache': variant(cached, CONNECTIONS, { verify: verified(cached), before }),
    'no cache': variant(uncached, CONNECTIONS, { verify: verified(uncached) }),
    'one connection': variant(cached, 1, { before }),
    fastify: variant(fastify, CONNECTIONS),
    'fastify, one connection': variant(fastify, 1),
  };
}

/** Requests a path; a redirect is not followed. */
function request({ url }, path) {
  return new Promise((done, fail) => {
    get(`${url}${path}`, { agent }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => (body += text));
      response.once('end', () => {
        done({ status: response.statusCode, headers: response.headers, body });
      });
    }).once('error', fail);
  });
}

/** Writes a response of the service to a file, from which the variant `fastify` sends it, so that both send the same size. */
export async function writeResponse(cluster, server, path) {
  const { status, headers, body } = await request(server, path);
  if (status >= 400) throw new Skip(`GET ${path} returns ${status}`);
  const file = join(cluster.folder, 'response.json');
  const constant = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name));
  await writeFile(file, JSON.stringify({ status, headers: Object.fromEntries(constant), body }));
  return file;
}

async function verifyAll(server, start, rows, verify) {
  const failures = new Set();
  await inParallel(VERIFIED, CONNECTIONS, async (index) => {
    const [identifier, , , target] = rows[index];
    const failure = verify(await request(server, start + identifier), identifier, target);
    if (failure !== null) failures.add(`${start}${identifier} ${failure}`);
  });
  return [...failures].slice(0, 3);
}

function verifyRedirect({ status, headers }, _identifier, target) {
  if (status === 302 && headers.location === target) return null;
  return `returned ${status}, and led to ${headers.location}, not to ${target}`;
}

function verifyValues({ status, body }, identifier, target) {
  const { handle, values = [] } = JSON.parse(body);
  const [url] = values.filter(({ type }) => type === 'URL');
  if (status === 200 && handle === identifier && url?.data.value === target) return null;
  return `returned ${status} with ${body}, and not the target ${target}`;
}
