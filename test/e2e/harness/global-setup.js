// For each worker a PostgreSQL, because an open transaction delays the event feeds of all databases of its server, and a service
// with default settings, which all files use that need nothing else. With DATABASE_URL all workers use the PostgreSQL there.
// Each file that needs a database of its own clones the migrated template.
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import pg from 'pg';
import { migrate } from '../../../dist/database/migrations.js';
import { Postgres } from './postgres.js';
import { startShared } from './shared-service.js';

export default async function setUp({ maxWorkers }) {
  const template = `mintmark_template_${randomBytes(4).toString('hex')}`;
  const given = process.env.DATABASE_URL;
  // The servers of the tests must not inherit the variable.
  delete process.env.DATABASE_URL;
  const servers = given === undefined ? await each(maxWorkers, () => Postgres.start()) : [];
  const urls = given === undefined ? servers.map(({ url }) => url) : [given];
  await Promise.all(urls.map((url) => createTemplate(url, template)));
  const shared = await each(maxWorkers, (index) => startShared(urls[index % urls.length], template));
  shared.forEach(({ variables }, index) => {
    process.env[`E2E_DATABASE_URL_${index + 1}`] = urls[index % urls.length];
    process.env[`E2E_SHARED_${index + 1}`] = JSON.stringify(variables);
  });
  process.env.E2E_TEMPLATE = template;
  // Databases of a server that is thrown away are not dropped.
  if (given !== undefined) process.env.E2E_DROPS = '1';
  globalThis.e2e = { servers, shared, given, template };
}

/** Several starts at the same time, as many as there are processors. */
async function each(count, start) {
  const results = Array.from({ length: count });
  let next = 0;
  const one = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await start(index);
  };
  await Promise.all(Array.from({ length: Math.min(count, availableParallelism()) }, one));
  return results;
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
