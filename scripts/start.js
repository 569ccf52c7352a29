// `npm start`: runs the built service, and says in one sentence what is missing where it was not built.
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
