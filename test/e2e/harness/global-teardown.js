import { rm } from 'node:fs/promises';
import pg from 'pg';

export default async function tearDown() {
  const { folder, servers, given, template } = globalThis.e2e;
  if (given !== undefined) {
    const client = new pg.Client({ connectionString: given });
    await client.connect();
    await client.query(`DROP DATABASE ${template}`);
    await client.end();
  }
  await Promise.all(servers.map((server) => server.stop()));
  await rm(folder, { recursive: true, force: true });
}
