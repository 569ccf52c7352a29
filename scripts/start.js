// `npm start`: runs the built service, or prints how to build it if it is not built.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(fileURLToPath(main))) import(main.href);
else {
  console.error(
    'Mintmark is not built: run "npm ci", which builds it, or "npm run build" after a change of the source.',
  );
  process.exitCode = 1;
}
