/** A server in recovery answers no repeat of a write: what it has may be lost when another one is promoted. */
import { describe, expect, it } from '@jest/globals';
import { Client, coded } from '../harness/client.js';
import { query } from '../harness/database.js';
import { Postgres } from '../harness/postgres.js';
import { startServer } from '../harness/server.js';

/** Enough that the service expects further repeats, and reads their results first. */
const REPEATS = 30;

/** Each with a server of its own, at the same time. */
describe.each([
  ['with', 'nobody'],
  ['without', ''],
])('%s a configured synchronous standby', (_, names) => {
  it.concurrent('repeats are 503, and succeed at the promoted server', async () => {
    const postgres = await Postgres.start();
    const environment = { DATABASE_URL: postgres.url, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' };
    const server = await startServer(environment);
    const client = new Client(server.url);
    const key = () => ({ 'idempotency-key': crypto.randomUUID() });
    const [mintKey, patchKey, batchKey, apiKey] = [key(), key(), key(), key()];
    const metadataId = `hdl:2000.01/repeat-${names}`;
    const path = `/identifiers/${(await client.mint({ metadataId }, mintKey)).body.identifier}`;
    const patch = (headers: Record<string, string>) =>
      client.send(
        'PATCH',
        path,
        { 'content-type': 'application/merge-patch+json', 'if-match': '*', ...headers },
        '{"target":"https://a.example/1"}',
      );
    const repeats = [
      () => client.mint({ metadataId }, mintKey),
      () => client.mint({ metadataId }),
      () => patch(patchKey),
      () => patch({}),
      () => client.post('/identifiers/batch', { items: [{ namingAuthority: '100.102' }] }, batchKey),
      () => client.post('/api-keys', { client: 'c', namingAuthorities: null, scopes: ['read'] }, apiKey),
    ];
    for (const send of repeats) expect((await send()).status).toBeLessThan(300);
    for (let n = 0; n < REPEATS; n++) await repeats[0]!();
    await query(postgres.url, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await postgres.halt();
    await postgres.launchAs('standby');
    // The first statements fail with the connections of the stopped server.
    for (let n = 0; n < REPEATS; n++) await repeats[0]!();
    const answers = [];
    for (const send of repeats) answers.push(coded(await send()));
    expect(answers).toEqual(repeats.map(() => [503, 'DATABASE_UNAVAILABLE']));
    await postgres.halt();
    await postgres.launchAs('primary');
    await query(postgres.url, 'ALTER SYSTEM RESET synchronous_standby_names');
    await query(postgres.url, 'SELECT pg_reload_conf()');
    for (const send of repeats) {
      let answer = await send();
      for (let attempt = 0; answer.status === 503 && attempt < 100; attempt++) answer = await send();
      expect(answer.status).toBeLessThan(300);
    }
    await server.stop();
    await postgres.stop();
  });
});
