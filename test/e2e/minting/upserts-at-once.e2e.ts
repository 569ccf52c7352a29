import { expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { freshMetadataId } from '../harness/fresh-names.js';
import { startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

const service = useService();

// PostgreSQL reports a deadlock only after the lock timeout of the service, so that a deadlock ends in a 503.
it.each([400, 1100])(
  'two batches that update the same %d metadata IDs in opposite orders both succeed',
  async (size) => {
    const name = new URL(service.database.url).pathname.slice(1);
    await query(service.database.url, `ALTER DATABASE "${name}" SET deadlock_timeout = '1min'`);
    const server = await startServer({ DATABASE_URL: service.database.url, ACCESS: 'open' });
    try {
      const client = new Client(server.url);
      for (let round = 0; round < 3; round++) {
        const ids = Array.from({ length: size }, freshMetadataId);
        const upsert = (of: readonly string[], target: string) =>
          client.post('/identifiers/batch', {
            namingAuthority: '100.102',
            items: of.map((metadataId) => ({ metadataId, target, onExisting: 'update' })),
          });
        const answers = await Promise.all([
          upsert(ids, 'https://repo.example.org/1'),
          upsert([...ids].reverse(), 'https://repo.example.org/2'),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
        const [first, second] = answers.map(({ body }) => body.items as { status: number; identifier: string }[]);
        expect([first![0]!.status, second![0]!.status].sort()).toEqual([200, 201]);
        expect(first!.map(({ identifier }) => identifier)).toEqual(
          second!.map(({ identifier }) => identifier).reverse(),
        );
      }
    } finally {
      await server.stop();
    }
  },
);
