// npm runs this after every installation of the checkout. It builds the service, which needs the development packages.
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const isThere = (name) => existsSync(new URL(name, root));

// The two packages that `npm run build` starts.
if (isThere('node_modules/prisma-cli') && isThere('node_modules/@nestjs/cli')) {
  execSync('npm run build', { cwd: fileURLToPath(root), stdio: 'inherit' });
} else if (isThere('dist/main.js')) {
  console.error('The development packages are not installed: the build in dist/ is kept as it is.');
} else {
  console.error(`
The build needs the development packages, which --omit=dev and NODE_ENV=production leave out. Install all packages,
which builds the service, and then remove the development packages:

  npm ci --include=dev
  npm prune --omit=dev
`);
  process.exitCode = 1;
}
