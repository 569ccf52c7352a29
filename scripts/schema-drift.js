// Fails if the migrations, applied to an empty database, differ from prisma/schema.prisma, and prints the missing SQL for a new migration.
// Also fails if the migrated database differs from prisma/schema-manifest.json, which `mintmark doctor` uses; --write writes that file.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '../dist/database/embedded/embedded-server.js';
import { connect, migrate } from '../dist/database/migrations.js';
import { readManifest } from '../dist/doctor/schema-manifest.js';
import { ALL_TABLES, prismaSchema, withSchemaEngine } from './schema-engine.js';

const MANIFEST = new URL('../prisma/schema-manifest.json', import.meta.url);

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
  const manifest = await manifestOf(server.url);
  if (process.argv.includes('--write')) await writeFile(MANIFEST, manifest);
  else if (manifest !== (await readFile(MANIFEST, 'utf8').catch(() => ''))) {
    console.error('prisma/schema-manifest.json differs from the migrations. Run: npm run schema-manifest');
    process.exitCode = 1;
  }
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function manifestOf(url) {
  const session = await connect(url);
  try {
    return `${JSON.stringify(await readManifest(session), null, 2)}\n`;
  } finally {
    await session.end();
  }
}
