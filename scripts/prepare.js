// Builds the service after an installation of the checkout and before `npm pack`, if the development packages are installed and a
// source is newer than the build.
import { existsSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const isThere = (name) => existsSync(new URL(name, root));

if (isThere('node_modules/prisma-cli') && isThere('node_modules/@nestjs/cli')) {
  const { buildIfStale } = await import('./build-if-stale.js');
  buildIfStale();
} else if (isThere('dist/main.js')) {
  console.error('The development packages are not installed: dist/ is not rebuilt.');
} else {
  console.error(`
The build needs the development packages, which --omit=dev and NODE_ENV=production omit. Install all packages, which
builds the service, and then remove the development packages:

  npm ci --include=dev
  npm prune --omit=dev
`);
  process.exitCode = 1;
}
