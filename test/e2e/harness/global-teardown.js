import { rm } from 'node:fs/promises';
import pg from 'pg';

export default async function tearDown() {
  const { folder, server, url, template } = globalThis.e2e;
  if (server === undefined) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`DROP DATABASE ${template}`);
    await client.end();
  } else await server.stop();
  await rm(folder, { recursive: true, force: true });
}
