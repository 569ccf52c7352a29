import pg from 'pg';
import { type TestDatabase, createDatabase } from './database.js';
import { type TestServer, startServer } from './server.js';

/** The operation, for lines that name no naming authority. */
export const PATH = '/identifiers/bulk?namingAuthority=100.102';

/** The number of identifiers in a database. */
export async function total(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM identifier');
  await client.end();
  return rows[0]!.n;
}

/** Lines to mint, each with its own metadata ID. */
export const input = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => `${JSON.stringify({ clientRef: `row ${from + index}` })}\n`).join('');

/** Runs a function with its own service and database. */
export async function withServer(
  work: (server: TestServer, database: TestDatabase) => Promise<void>,
  more = {},
  start = startServer,
): Promise<void> {
  const database = await createDatabase();
  const server = await start({
    DATABASE_URL: database.url,
    ACCESS: 'open',
    NAMING_AUTHORITIES: '100.102',
    ...more,
  });
  try {
    await work(server, database);
  } finally {
    await server.stop('SIGKILL');
    await database.drop();
  }
}
