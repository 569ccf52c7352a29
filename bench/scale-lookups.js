import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { get, requireRoute } from './preconditions.js';
import { load } from './load/load.js';
import { firstNames } from './names.js';
import { AUTHORITY } from './rows.js';
import { Skip } from './rounds.js';

const CONNECTIONS = 4;

/** Number of pages of `LARGEST_PAGE` items before the deep page. */
const DEEP_PAGES = 500;
const LARGEST_PAGE = 1000;

const MIXED_LINES = 1000;
const MIXED_REQUESTS = 100;

/** @returns {Promise<Map<string, {p50Ms: number, p99Ms: number} | string>>} latency by kind of look-up, or the reason why there is none. */
export async function measureLookups({ cluster, database, server, lines, seconds }) {
  const measured = new Map();
  for (const [kind, find] of Object.entries(await kinds({ cluster, database, server, lines }))) {
    console.error(`  ${kind} …`);
    try {
      const request = { lines, ...(await find()) };
      const sample = await load({
        folder: cluster.folder,
        url: server.url,
        request,
        connections: CONNECTIONS,
        seconds,
      });
      measured.set(kind, sample.failures.length > 0 ? sample.failures.join(', ') : sample);
    } catch (error) {
      if (!(error instanceof Skip)) throw error;
      measured.set(kind, error.message);
    }
  }
  return measured;
}

/** Each function returns the request for `load`; the numbers in braces are columns of `sample` in rows.js. */
async function kinds({ cluster, database, server, lines }) {
  const times = await mintTimes(cluster, database);
  return {
    identifier: () => ({ path: '/identifiers/{1}' }),
    'metadata ID': () => ({ path: '/identifiers?metadataId={2}' }),
    'alternate identifier': () => ({ path: '/identifiers?alternateId={3}' }),
    target: () => ({ path: '/identifiers?target={4}' }),
    'first page': () => ({ path: '/identifiers' }),
    'deep page': async () => ({ path: await deepPage(server) }),
    'naming authority': () => ({ path: `/identifiers?namingAuthority=${AUTHORITY}` }),
    'naming authority without identifiers': () => ({ path: '/identifiers?namingAuthority=100.103' }),
    'created after half of them': () => ({ path: `/identifiers?createdFrom=${times.half}` }),
    'created after all but the newest': () => ({ path: `/identifiers?createdFrom=${times.newest}` }),
    [`${MIXED_LINES} mixed lines`]: () => mixed(cluster, server, lines),
  };
}

/** Times after which half, and the last 0.1 %, of the period of minting follows. */
async function mintTimes(cluster, database) {
  const [{ first, last }] = await cluster.query(
    database,
    'SELECT min(created_at) AS first, max(created_at) AS last FROM identifier',
  );
  const at = (share) => new Date(first.getTime() + (last - first) * share).toISOString();
  return { half: at(0.5), newest: at(0.999) };
}

/** Reads all pages before the deep page, because only the previous page has its cursor. */
async function deepPage({ url }) {
  const page = (limit, cursor) => `/identifiers?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
  let cursor = '';
  for (let walked = 0; walked < DEEP_PAGES; walked++) {
    const { json } = await get(url + page(LARGEST_PAGE, cursor));
    if (json.next === null) break;
    cursor = encodeURIComponent(json.next);
  }
  return page(50, cursor);
}

/** Writes a file of bodies with identifiers, metadata IDs and alternates in alternation. @returns the request that sends them. */
async function mixed(cluster, server, lines) {
  const rows = await firstNames(lines, MIXED_LINES * MIXED_REQUESTS);
  const bodies = Array.from({ length: MIXED_REQUESTS }, (_, request) => {
    const own = rows.slice(request * MIXED_LINES, (request + 1) * MIXED_LINES);
    return JSON.stringify({ items: own.map((row, n) => row[n % 3]) });
  });
  await requireRoute(server, '/identifiers/lookup', bodies[0]);
  const file = join(cluster.folder, 'mixed.tsv');
  await writeFile(file, bodies.join('\n'));
  return { method: 'POST', path: '/identifiers/lookup', body: '{1}', lines: file };
}
