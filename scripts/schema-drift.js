// Fails if the migrations, applied to an empty database, differ from prisma/schema.prisma; prints the missing SQL for a new
// migration.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '../dist/database/embedded/embedded-server.js';
import { migrate } from '../dist/database/migrations.js';
import { ALL_TABLES, prismaSchema, withSchemaEngine } from './schema-engine.js';

const folder = await mkdtemp(join(tmpdir(), 'mintmark-drift-'));
const server = await startEmbeddedServer(folder);
try {
  await migrate(server.url);
  const from = { tag: 'schemaDatasource', configDir: '.', ...(await prismaSchema()) };
  const to = { tag: 'schemaDatamodel', ...(await prismaSchema()) };
  const { exitCode, stdout } = await withSchemaEngine(server.url, (engine) =>
    engine.diff({ from, to, script: true, exitCode: true, filters: ALL_TABLES, shadowDatabaseUrl: null }),
  );
  if (exitCode !== 0) {
    console.error(`prisma/migrations and prisma/schema.prisma differ. SQL that is missing:\n\n${stdout ?? ''}`);
    process.exitCode = 1;
  }
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
