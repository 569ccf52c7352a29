import { MINT_BODY, verifyMints, requireStored } from '../preconditions.js';
import { load } from '../load/load.js';
import { hasPgbench, pgbench } from '../postgres-programs.js';
import { LEANEST_MINT, LEANEST_TABLE, ONE_MINT } from '../rows.js';

const REQUEST = { method: 'POST', path: '/identifiers', body: MINT_BODY, idempotencyKey: '{unique}' };

/** One mint in each request, with a metadata ID, a target and an Idempotency-Key. */
function singleMint(connections, others) {
  return {
    name: `mint-${connections}`,
    title: `single mint, ${connections} ${connections === 1 ? 'connection' : 'connections'}`,
    comparisons: [],
    ...others,
    async variants({ cluster, servers }) {
      const database = `mint_${connections}`;
      await cluster.createDatabase(database);
      const overHttp = (server) => ({
        server,
        verify: () => verifyMints(cluster, database, server),
        before: () => cluster.empty(database),
        run: (seconds) => load({ folder: cluster.folder, url: server.url, request: REQUEST, connections, seconds }),
        check: ({ operations }) => requireStored(cluster, database, operations, connections),
      });
      const limit = {
        before: () => cluster.empty(database),
        run: (seconds) => pgbench(cluster, { database, sql: ONE_MINT, connections, seconds }),
        check: ({ operations }) => requireStored(cluster, database, operations, 0),
      };
      await cluster.query(database, LEANEST_TABLE);
      const leanest = {
        before: () => cluster.query(database, 'TRUNCATE leanest', 'CHECKPOINT'),
        run: (seconds) => pgbench(cluster, { database, sql: LEANEST_MINT, connections, seconds }),
        check: async ({ operations }) => {
          const [{ stored }] = await cluster.query(database, 'SELECT count(*)::integer AS stored FROM leanest');
          return stored === operations ? [] : [`${operations} acknowledged, ${stored} stored`];
        },
      };
      return {
        mintmark: overHttp(await servers.mintmark(database)),
        ...(hasPgbench && { pgbench: limit, 'pgbench-leanest': leanest }),
        'fastify-pg': overHttp(await servers.fastifyPg(database)),
        'prisma-baseline': overHttp(await servers.prismaBaseline(database)),
      };
    },
  };
}

export const mint = singleMint(64, {
  comparisons: [
    { of: 'mintmark', to: 'pgbench', least: 1 },
    { of: 'mintmark', to: 'pgbench-leanest', least: 0.6, aim: 0.8 },
    { of: 'mintmark', to: 'prisma-baseline', least: 6 },
    { of: 'mintmark', to: 'fastify-pg' },
  ],
});

export const mintAlone = singleMint(1, {
  comparisons: [
    { of: 'mintmark', to: 'pgbench', least: 0.45 },
    { of: 'mintmark', to: 'fastify-pg', least: 0.9 },
    { of: 'mintmark', to: 'prisma-baseline' },
  ],
});
