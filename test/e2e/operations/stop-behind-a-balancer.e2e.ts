import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { startServer } from '../harness/server.js';
import { Client } from '../harness/client.js';
import { createDatabase } from '../harness/database.js';

describe('a stop with SHUTDOWN_DELAY_SECONDS', () => {
  it('fails readiness and serves requests for that time, then ends', async () => {
    const database = await createDatabase();
    const variables = { DATABASE_URL: database.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' };
    const server = await startServer({ ...variables, SHUTDOWN_DELAY_SECONDS: '2' });
    const client = new Client(server.url);
    expect((await client.get('/health/ready')).status).toBe(200);
    const ended = server.stop();
    await pause(300);
    for (let n = 0; n < 3; n++) {
      const ready = await client.get('/health/ready', { connection: 'close' });
      expect([ready.status, ready.body.code]).toEqual([503, 'SHUTTING_DOWN']);
      expect((await client.get('/health/live')).status).toBe(200);
      expect((await client.mint({}, { connection: 'close' })).status).toBe(201);
      await pause(300);
    }
    expect((await ended).code).toBe(0);
    await expect(client.get('/health/live')).rejects.toThrow();
    await database.drop();
  });
});
