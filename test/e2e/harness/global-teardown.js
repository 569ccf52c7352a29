import pg from 'pg';

export default async function tearDown() {
  const { servers, shared, given, template } = globalThis.e2e;
  await Promise.all(shared.map(({ stop }) => stop()));
  if (given !== undefined) {
    const client = new pg.Client({ connectionString: given });
    await client.connect();
    for (const { database } of shared) await client.query(`DROP DATABASE ${database}`);
    await client.query(`DROP DATABASE ${template}`);
    await client.end();
  }
  await Promise.all(servers.map((server) => server.stop()));
}
