// Builds the service if a file that the build reads is newer than dist/: `node scripts/build-if-stale.js`.
import { execSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/** What `npm run build` reads; the Prisma client, which it writes, is older than dist/. */
const SOURCES = [
  'src',
  'prisma/schema.prisma',
  'nest-cli.json',
  'package-lock.json',
  'tsconfig.json',
  'scripts/openapi-plugin.js',
];

/** The time at which the newest file below a path was changed; 0 without files. */
function newest(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  const entries = readdirSync(path).map((name) => newest(join(path, name)));
  // The time of the folder itself tells that a file was removed.
  return Math.max(stats.mtimeMs, ...entries);
}

export function buildIfStale() {
  const built = statSync(join(root, 'dist/main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (SOURCES.every((source) => newest(join(root, source)) <= built)) return;
  execSync('npm run build', { cwd: root, stdio: 'inherit' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildIfStale();
