// `npm run db:reset`: removes the database of the embedded PostgreSQL. It fails if DATABASE_URL is set, whose database may be in use.
import { rm } from 'node:fs/promises';
import { readConfig } from '../dist/config/config.js';
import { startEmbeddedServer } from '../dist/database/embedded/embedded-server.js';

const { database } = readConfig();
if ('url' in database) {
  console.error('DATABASE_URL is set: drop and create that database manually, then start the service.');
  process.exit(1);
}
try {
  // This start fails if a running service owns the folder, and stops a PostgreSQL whose service was killed.
  const server = await startEmbeddedServer(database.dataDir);
  await server.stop();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
await rm(`${database.dataDir}/postgres`, { recursive: true, force: true });
await rm(`${database.dataDir}/postgres.password`, { force: true });
console.error(`${database.dataDir} is empty. The next start creates a new database.`);
