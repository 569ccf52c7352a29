import { expect, it } from '@jest/globals';
import { useService } from '../harness/service.js';
import { startServer } from '../harness/server.js';
import { createDatabase } from '../harness/database.js';
import { sendLines } from '../harness/stream.js';

const service = useService();
const AUTHORITY = { namingAuthority: '20.500', profile: 'handle' };

it.each([
  ['application/x-ndjson', 'application/x-ndjson'],
  ['text/csv', 'text/csv'],
])('a line of more than 64 KiB of an export as %s is imported, and those after it', async (accept, type) => {
  if ((await service.client.get('/naming-authorities/20.500')).status === 404) {
    expect((await service.client.post('/naming-authorities', AUTHORITY)).status).toBe(201);
    // 65,490 bytes of names.
    const alternateIds = Array.from({ length: 100 }, (_, n) => `hdl:10.1/${n}`.padEnd(650, 'a'));
    const large = { namingAuthority: '20.500', localName: 'a'.repeat(490), alternateIds };
    expect((await service.client.mint(large)).status).toBe(201);
    expect((await service.client.mint({ namingAuthority: '20.500', localName: 'next' })).status).toBe(201);
  }
  const path = '/identifiers/export?namingAuthority=20.500';
  const exported = await (await fetch(service.server.url + path, { headers: { accept } })).text();
  expect(Math.max(...exported.split('\n').map((line) => line.length))).toBeGreaterThan(65_536);
  const database = await createDatabase();
  const empty = await startServer({ DATABASE_URL: database.url, ACCESS: 'open' });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${empty.url}/naming-authorities`, { method: 'POST', headers, body: JSON.stringify(AUTHORITY) });
  const results = await sendLines(`${empty.url}/identifiers/import`, exported, { 'content-type': type });
  expect(results.map(({ status }) => status)).toEqual([201, 201]);
  expect(await (await fetch(empty.url + path, { headers: { accept } })).text()).toBe(exported);
  await empty.stop();
  await database.drop();
});
