import { MINT_BODY, post, requireRoute, requireStored } from '../preconditions.js';
import { load } from '../load/load.js';
import { hasPgbench, pgbench } from '../postgres-programs.js';
import { batchOfMints } from '../rows.js';

const SIZE = 1000;
const CONNECTIONS = 4;
const BODY = `{"items":[${Array.from({ length: SIZE }, () => MINT_BODY).join(',')}]}`;
const REQUEST = { method: 'POST', path: '/identifiers/batch', body: BODY, idempotencyKey: '{unique}' };

export const batch = {
  name: 'batch',
  title: `batch of ${SIZE}, ${CONNECTIONS} connections`,
  comparisons: [{ of: 'mintmark', to: 'pgbench', least: 0.75 }],
  async variants({ cluster, servers }) {
    const database = 'batch';
    await cluster.createDatabase(database);
    const server = await servers.mintmark(database);
    await requireRoute(server, REQUEST.path, `{"items":[${named(MINT_BODY)}]}`);
    const load4 = { folder: cluster.folder, url: server.url, request: REQUEST, connections: CONNECTIONS };
    const mintmark = {
      server,
      verify: () => verifyBatch(cluster, database, server),
      before: () => cluster.empty(database),
      run: async (seconds) => {
        const sample = await load({ ...load4, seconds });
        return { ...sample, requests: sample.operations, operations: sample.operations * SIZE };
      },
      check: ({ operations }) => requireStored(cluster, database, operations, CONNECTIONS * SIZE),
    };
    const limit = {
      before: () => cluster.empty(database),
      run: (seconds) =>
        pgbench(cluster, { database, sql: batchOfMints(SIZE), connections: CONNECTIONS, seconds, rows: SIZE }),
      check: ({ operations }) => requireStored(cluster, database, operations, 0),
    };
    return { mintmark, ...(hasPgbench && { pgbench: limit }) };
  },
};

/** Verifies the results of one batch, because its status is 200 even if items fail. @returns failures. */
async function verifyBatch(cluster, database, { url }) {
  await cluster.empty(database);
  const { status, json } = await post(`${url}${REQUEST.path}`, named(BODY), { 'idempotency-key': 'verified' });
  const results = Array.isArray(json) ? json : (json?.items ?? json?.results ?? []);
  const minted = results.filter((result) => result.status === 201).length;
  if (status !== 200 || minted !== SIZE) return [`a batch returned ${status}, with ${minted} of ${SIZE} minted`];
  return requireStored(cluster, database, SIZE, 0);
}

function named(body) {
  return body.replaceAll('{unique}', () => crypto.randomUUID().replaceAll('-', '').toUpperCase());
}
