// Builds the service if a file that the build reads is newer than the output of the build: `node scripts/build-if-stale.js`.
import { execSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/** The outputs of `npm run build` and their sources. The Prisma client only has to exist, because dist/ is built after it. */
const SOURCES = {
  'src/database/generated': [],
  'packages/identifier/dist/index.js': [
    'packages/identifier/src',
    'packages/identifier/package.json',
    'packages/identifier/tsconfig.json',
    'tsconfig.json',
  ],
  'dist/main.js': [
    'src',
    'prisma/schema.prisma',
    'nest-cli.json',
    'package-lock.json',
    'tsconfig.json',
    'scripts/openapi-plugin.js',
  ],
};

/** The time of the last change of a path or of a file or folder below it, in milliseconds since 1970; 0 if the path does not exist. */
function newest(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  const entries = readdirSync(path).map((name) => newest(join(path, name)));
  // The time of the folder itself changes when a file is removed.
  return Math.max(stats.mtimeMs, ...entries);
}

export function buildIfStale() {
  const isFresh = ([output, sources]) => {
    const built = newest(join(root, output));
    return built > 0 && sources.every((source) => newest(join(root, source)) <= built);
  };
  if (Object.entries(SOURCES).every(isFresh)) return;
  execSync('npm run build', { cwd: root, stdio: 'inherit' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildIfStale();
