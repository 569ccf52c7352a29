// Builds the service after each installation of the checkout, if the development packages are installed.
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const isThere = (name) => existsSync(new URL(name, root));

// The packages of `npm run build`.
if (isThere('node_modules/prisma-cli') && isThere('node_modules/@nestjs/cli')) {
  execSync('npm run build', { cwd: fileURLToPath(root), stdio: 'inherit' });
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
