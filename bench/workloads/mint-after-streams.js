import { sendBulk, mintLines } from '../bulk-client.js';
import { MINT_BODY, requireStored } from '../preconditions.js';
import { load } from '../load/load.js';
import { Skip } from '../rounds.js';
import { STORED } from '../rows.js';

const CONNECTIONS = 64;
const STREAMS = 5;
const LINES = 12_000;

const REQUEST = { method: 'POST', path: '/identifiers', body: MINT_BODY, idempotencyKey: '{unique}' };

/**
 * After five bulk loads, each with an Idempotency-Key, the statistics of PostgreSQL have five keys for 60,000 rows. Mints must still have
 * at least 0.8 times the rate that they have with an empty table.
 */
export const mintAfterStreams = {
  name: 'after-streams',
  title: `mint after five keyed streams, ${CONNECTIONS} connections`,
  comparisons: [{ of: 'after five keyed streams', to: 'empty table', least: 0.8 }],
  async variants({ cluster, servers }) {
    const variant = async (database, streams) => {
      await cluster.createDatabase(database);
      const server = await servers.mintmark(database);
      for (let stream = 0; stream < streams; stream++) {
        const { minted } = await sendBulk(server, mintLines(LINES));
        if (minted !== LINES) throw new Skip(`a stream minted ${minted} of ${LINES} lines`);
      }
      await cluster.query(database, 'ANALYZE');
      let before = 0;
      return {
        server,
        before: async () => {
          if (streams === 0) await cluster.empty(database);
          else await cluster.query(database, 'CHECKPOINT');
          [{ stored: before }] = await cluster.query(database, STORED);
        },
        run: (seconds) =>
          load({ folder: cluster.folder, url: server.url, request: REQUEST, connections: CONNECTIONS, seconds }),
        check: ({ operations }) => requireStored(cluster, database, before + operations, CONNECTIONS),
      };
    };
    return {
      'after five keyed streams': await variant('after_streams', STREAMS),
      'empty table': await variant('without_streams', 0),
    };
  },
};
