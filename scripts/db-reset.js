// Empties the database for development: removes the data folder of the embedded server. A database of DATABASE_URL is
// left alone: nothing here can tell whether somebody needs it.
import { rm } from 'node:fs/promises';
import { readConfig } from '../dist/config/config.js';
import { startEmbeddedServer } from '../dist/database/embedded/embedded-server.js';

const { database } = readConfig();
if ('url' in database) {
  console.error('DATABASE_URL is set: drop and create that database yourself, then start the service.');
  process.exit(1);
}
try {
  // Starting it first refuses a folder that a running service owns, and stops a server that outlived its service.
  const server = await startEmbeddedServer(database.dataDir);
  await server.stop();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
await rm(`${database.dataDir}/postgres`, { recursive: true, force: true });
await rm(`${database.dataDir}/postgres.password`, { force: true });
console.error(`${database.dataDir} is empty. The next start makes a new database there.`);
