import { fileURLToPath } from 'node:url';
import { defineConfig } from 'prisma-cli/config';

// `prisma generate` needs no schema engine, yet its CLI tries to download one unless a path is named. Naming any file
// that exists keeps `npm ci` free of downloads; an operator who runs `prisma migrate deploy` sets the real path first.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= fileURLToPath(import.meta.url);

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
});
