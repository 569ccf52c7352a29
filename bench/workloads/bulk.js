import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mintLines, sendBulk } from '../bulk-client.js';
import { MINT_BODY, requireRoute, requireStored } from '../preconditions.js';
import { hasPsql, psql } from '../postgres-programs.js';
import { residentMb } from '../processes.js';
import { MINTED_TABLES } from '../rows.js';

export const bulk = {
  name: 'bulk',
  title: 'bulk, NDJSON in and out over one connection',
  comparisons: [{ of: 'mintmark', to: 'copy', least: 0.6 }],
  limits: [
    { of: 'mintmark', metric: 'memoryAboveIdleMb', most: 64, title: 'memory above idle, MB' },
    { of: 'mintmark', metric: 'firstLineMs', most: 100, title: 'first line out, ms' },
  ],
  async variants({ cluster, servers, options }) {
    const database = 'bulk';
    const count = options.bulkLines;
    await cluster.createDatabase(database);
    const server = await servers.mintmark(database);
    await requireRoute(
      server,
      '/identifiers/bulk',
      `${MINT_BODY.replaceAll('{unique}', 'F'.repeat(32))}\n`,
      'application/x-ndjson',
    );
    const lines = join(cluster.folder, 'bulk.ndjson');
    await writeFile(lines, mintLines(count));
    await cluster.empty(database);
    const idleMb = await residentMb(server.pid);
    const { minted } = await sendBulk(server, createReadStream(lines));
    const check = async () => requireStored(cluster, database, count, 0);
    const mintmark = {
      server,
      before: () => cluster.empty(database),
      run: async () => {
        const { status, mostMb, ...sample } = await sendBulk(server, createReadStream(lines));
        const isWhole = status === 200 && sample.lines === count && sample.minted === count;
        const failures = isWhole
          ? []
          : [`returned ${status}: ${sample.lines} lines, ${sample.minted} minted, of ${count}`];
        return { ...sample, memoryAboveIdleMb: mostMb - idleMb, operations: count, failures };
      },
      check,
    };
    return { mintmark, ...(hasPsql && minted === count && { copy: await copy(cluster, database, count, check) }) };
  },
};

/** The baseline: psql's \copy loads the rows of the bulk load into the same tables. */
async function copy(cluster, database, count, check) {
  const files = MINTED_TABLES.map((table, index) => [table, join(cluster.folder, `rows-${index}.copy`)]);
  await psql(cluster, database, ...files.map(([table, file]) => `\\copy ${table} to '${file}'`));
  return {
    before: () => cluster.empty(database),
    run: async () => {
      const started = performance.now();
      await psql(
        cluster,
        database,
        'BEGIN',
        ...files.map(([table, file]) => `\\copy ${table} from '${file}'`),
        'COMMIT',
      );
      return { operations: count, seconds: (performance.now() - started) / 1000, failures: [] };
    },
    check,
  };
}
