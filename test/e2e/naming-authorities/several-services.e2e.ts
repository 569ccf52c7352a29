import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { type TestServer, startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

const service = useService({ NAMING_AUTHORITIES: '100.102' });
let another: TestServer;

beforeAll(async () => {
  const database = { DATABASE_URL: service.database.url };
  another = await startServer({ ...database, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' });
});
afterAll(() => another.stop());

describe('a naming authority that one service created', () => {
  it('is known at once to another replica that receives requests for its identifiers', async () => {
    const [one, other] = [service.client, new Client(another.url)];
    const questions: ((path: string, identifier: string) => Promise<unknown>)[] = [
      async (path) => (await other.get(path)).status,
      async (path) => (await other.get(`${path}/history`)).status,
      async (path) => (await other.post(`${path}/withdraw`, { reason: 'Twice.' })).status,
      async (_, identifier) =>
        (await other.post('/identifiers/lookup', { items: [identifier] })).body.items[0].outcome === 'found' && 200,
    ];
    for (const [index, question] of questions.entries()) {
      const namingAuthority = `20.${index}`;
      // The cache of the other service is fresh and does not contain the new one.
      await other.get('/identifiers/100.102/F58FB49EB1F848F0A606E84CEF294BE5');
      const created = { namingAuthority, profile: 'handle' };
      if (index === 0) await one.post('/naming-authorities', { namingAuthority: '20' });
      expect((await one.post('/naming-authorities', created)).status).toBe(201);
      const { identifier } = (await one.post('/identifiers', { namingAuthority, localName: `report ${index}` })).body;
      expect(await question(`/identifiers/${encodeURIComponent(identifier)}`, identifier)).toBe(200);
    }
  });
});
