// A service with default settings that many files of a worker use, each with naming authorities of its own.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import pg from 'pg';
import { SERVICE } from './programs.js';

/** The number of naming authorities 7000.1, 7000.2, …: three for each file. */
const COUNT = 900;

/**
 * @param {string} serverUrl of the PostgreSQL
 * @param {string} template the database to clone
 */
export async function startShared(serverUrl, template) {
  const database = `mintmark_shared_${randomBytes(6).toString('hex')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  await query(serverUrl, `CREATE DATABASE ${database} TEMPLATE ${template}`);
  await query(
    url.href,
    `INSERT INTO naming_authority (prefix) SELECT '7000.' || n FROM generate_series(1, ${COUNT}) n`,
  );
  const { PATH, NODE_V8_COVERAGE, SERVICES_COVERED } = process.env;
  const env = { PATH, PORT: '0', DATABASE_URL: url.href, ACCESS: 'open', NAMING_AUTHORITIES: '7000' };
  const counting = { NODE_V8_COVERAGE: SERVICES_COVERED === '1' ? NODE_V8_COVERAGE : undefined };
  const child = spawn(process.execPath, [SERVICE], {
    cwd: tmpdir(),
    env: { ...env, ...counting },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let output = '';
  const address = await new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      output += chunk.toString();
      const found = /Service +(http\S+)/.exec(output)?.[1];
      if (found !== undefined && output.includes('Ctrl-C')) resolve(found);
    });
    void ended.then(() => reject(new Error(`the shared service ended: ${output}`)));
  });
  return {
    database,
    variables: { url: address, database: url.href },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function query(url, sql) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
