// PostgreSQL for the end-to-end tests: that of DATABASE_URL, or an embedded one in a temporary folder for each worker, because
// an open transaction delays the event feeds of all databases of its server. Each test file clones the migrated template.
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedServer } from '../../../dist/database/embedded/embedded-server.js';
import { migrate } from '../../../dist/database/migrations.js';

export default async function setUp({ maxWorkers }) {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-e2e-'));
  const template = `mintmark_template_${randomBytes(4).toString('hex')}`;
  const given = process.env.DATABASE_URL;
  const servers = [];
  if (given === undefined) {
    for (let worker = 1; worker <= maxWorkers; worker++) {
      servers.push(await startEmbeddedServer(join(folder, `server-${worker}`)));
    }
  }
  const urls = given === undefined ? servers.map(({ url }) => url) : [given];
  await Promise.all(urls.map((url) => createTemplate(url, template)));
  for (let worker = 1; worker <= maxWorkers; worker++) {
    process.env[`E2E_DATABASE_URL_${worker}`] = urls[(worker - 1) % urls.length];
  }
  process.env.E2E_TEMPLATE = template;
  // The servers of the tests must not inherit the variable.
  delete process.env.DATABASE_URL;
  globalThis.e2e = { folder, servers, given, template };
}

async function createTemplate(url, template) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE ${template}`);
  await client.end();
  const templateUrl = new URL(url);
  templateUrl.pathname = `/${template}`;
  await migrate(templateUrl.href);
}
