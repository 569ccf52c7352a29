import { fileURLToPath } from 'node:url';
import { defineConfig } from 'prisma-cli/config';

/** The commands that need the schema engine, a program that the CLI downloads. */
const NEED_ENGINE = ['migrate', 'db', 'version'];

// For every command the CLI tries to download the engine unless a path is named. Naming any file that exists keeps
// `npm ci`, which runs `prisma generate`, free of downloads.
if (!NEED_ENGINE.includes(process.argv[2] ?? '')) {
  process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= fileURLToPath(import.meta.url);
}

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
});
