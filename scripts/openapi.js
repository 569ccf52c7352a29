// Writes the OpenAPI document to openapi/. With --check, fails if the committed files differ from the generated ones.
import 'reflect-metadata';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import pg from 'pg';
import { stringify } from 'yaml';
import { createApplication } from '../dist/app.setup.js';
import { readConfig } from '../dist/config/config.js';
import { createLogger } from '../dist/logging/logger.js';
import { openApiDocument } from './openapi/generate.js';

const folder = new URL('../openapi/', import.meta.url);
const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
// The pool does not connect: generating the document sends no queries.
const pool = new pg.Pool();
const { app } = await createApplication(
  readConfig({}),
  { general: pool, hot: pool, log: pool, probe: pool, replica: null },
  createLogger('silent'),
);
const document = JSON.parse(JSON.stringify(openApiDocument(app, version)));
await app.close();

const files = {
  'openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'openapi.yaml': stringify(document, { aliasDuplicateObjects: false }),
};
await mkdir(folder, { recursive: true });
for (const [name, text] of Object.entries(files)) {
  const file = new URL(name, folder);
  if (!process.argv.includes('--check')) await writeFile(file, text);
  else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error(`openapi/${name} differs from the code. Run "npm run openapi" and commit the result.`);
    process.exitCode = 1;
  }
}
