// One PostgreSQL for all end-to-end tests: that of DATABASE_URL, or an embedded one in a temporary folder. Each test
// file clones the migrated template.
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedServer } from '../../../dist/database/embedded/embedded-server.js';
import { migrate } from '../../../dist/database/migrations.js';

export default async function setUp() {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-e2e-'));
  const server = process.env.DATABASE_URL === undefined ? await startEmbeddedServer(folder) : undefined;
  const url = server?.url ?? process.env.DATABASE_URL;
  const template = `mintmark_template_${randomBytes(4).toString('hex')}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE ${template}`);
  await client.end();
  const templateUrl = new URL(url);
  templateUrl.pathname = `/${template}`;
  await migrate(templateUrl.href);
  process.env.E2E_DATABASE_URL = url;
  process.env.E2E_TEMPLATE = template;
  // The servers of the tests must not inherit the variable.
  delete process.env.DATABASE_URL;
  globalThis.e2e = { folder, server, url, template };
}
