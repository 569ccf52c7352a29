import { expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { freshGuid, freshMetadataId } from '../harness/fresh-names.js';
import { startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

const service = useService();

// PostgreSQL reports a deadlock only after the lock timeout of the service, so that a deadlock ends in a 503.
async function withoutDeadlocks(work: (client: Client) => Promise<void>): Promise<void> {
  const name = new URL(service.database.url).pathname.slice(1);
  await query(service.database.url, `ALTER DATABASE "${name}" SET deadlock_timeout = '1min'`);
  const server = await startServer({ DATABASE_URL: service.database.url, ACCESS: 'open' });
  try {
    await work(new Client(server.url));
  } finally {
    await server.stop();
  }
}

it.each([400, 1100])('two batches that update the same %d metadata IDs in opposite orders both succeed', (size) =>
  withoutDeadlocks(async (client) => {
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
      expect(first!.map(({ identifier }) => identifier)).toEqual(second!.map(({ identifier }) => identifier).reverse());
    }
  }),
);

it.each([
  ['both', 200],
  ['one', 600],
])(
  'two batches with the same metadata IDs in opposite orders both succeed if the items of %s name each other',
  (which, size) =>
    withoutDeadlocks(async (client) => {
      for (let round = 0; round < 5; round++) {
        const [some, others] = [0, 1].map(() => Array.from({ length: size }, freshMetadataId)) as [string[], string[]];
        // The items that name the first one are inserted after all others.
        const send = (first: readonly string[], last: readonly string[], areVersions: boolean) => {
          const guid = freshGuid();
          const previous = areVersions && { previousVersion: `100.102/${guid}` };
          const items = [
            { guid },
            ...first.map((metadataId) => ({ metadataId })),
            ...last.map((metadataId) => ({ metadataId, ...previous })),
          ];
          return client.post('/identifiers/batch', {
            namingAuthority: '100.102',
            items: items.map((item) => ({ ...item, onExisting: 'return' })),
          });
        };
        const answers = await Promise.all([send(some, others, true), send(others, some, which === 'both')]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      }
    }),
);
