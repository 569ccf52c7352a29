import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { type TestServer, startServer } from '../harness/server.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
let another: TestServer;

beforeAll(async () => {
  another = await startServer({ DATABASE_URL: service.database.url, ACCESS: 'open' });
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
    const parent = `${service.na}.${randomInt(1_000_000_000)}`;
    expect((await one.post('/naming-authorities', { namingAuthority: parent })).status).toBe(201);
    for (const [index, question] of questions.entries()) {
      const namingAuthority = `${parent}.${index}`;
      // The cache of the other service is fresh and does not contain the new one.
      await other.get(`/identifiers/${service.na}/F58FB49EB1F848F0A606E84CEF294BE5`);
      const created = { namingAuthority, profile: 'handle' };
      expect((await one.post('/naming-authorities', created)).status).toBe(201);
      const { identifier } = (await one.post('/identifiers', { namingAuthority, localName: `report ${index}` })).body;
      expect(await question(`/identifiers/${encodeURIComponent(identifier)}`, identifier)).toBe(200);
    }
  });
});
