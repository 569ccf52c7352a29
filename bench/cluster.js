import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedServer } from '../dist/database/embedded/embedded-server.js';
import { migrate } from '../dist/database/migrations.js';
import { MINTED_TABLES, PREPARE } from './rows.js';

/** Settings that must be on, because every variant must acknowledge only durable commits. */
const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'];
const SHOWN = [...DURABLE, 'shared_buffers', 'max_wal_size', 'wal_level', 'data_checksums'];

const TEMPLATE = 'migrated';

/** A new embedded PostgreSQL, in a temporary folder that `stop` removes. */
export class Cluster {
  static async start() {
    const folder = await mkdtemp(join(tmpdir(), 'mintmark-bench-'));
    const first = await startEmbeddedServer(folder);
    // All variants of a workload are connected at the same time. The benchmark changes no other setting.
    await query(first.url, 'ALTER SYSTEM SET max_connections = 400');
    await first.stop();
    const cluster = new Cluster(folder, await startEmbeddedServer(folder));
    await cluster.query('postgres', `CREATE DATABASE ${TEMPLATE}`);
    await migrate(cluster.url(TEMPLATE));
    await cluster.query(TEMPLATE, PREPARE);
    await cluster.requireDurability();
    return cluster;
  }

  constructor(folder, server) {
    this.folder = folder;
    this.server = server;
  }

  url(database) {
    const url = new URL(this.server.url);
    url.pathname = `/${database}`;
    return url.href;
  }

  /** The environment variables of libpq for a database. */
  environment(database) {
    const { hostname, port, username, password } = new URL(this.server.url);
    return {
      PATH: process.env.PATH,
      PGHOST: hostname,
      PGPORT: port,
      PGUSER: username,
      PGPASSWORD: password,
      PGDATABASE: database,
    };
  }

  async createDatabase(name) {
    await this.query('postgres', `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  }

  /** Runs statements on one connection. @returns the rows of the last one. */
  query(database, ...statements) {
    return query(this.url(database), ...statements);
  }

  /** Empties the tables that mints write, and runs a checkpoint, so that no checkpoint is due during the measurement. */
  async empty(database) {
    await this.query(
      database,
      // Disables the triggers of the schema, which reject TRUNCATE.
      'SET session_replication_role = replica',
      `TRUNCATE ${MINTED_TABLES.join(', ')} RESTART IDENTITY CASCADE`,
      'CHECKPOINT',
    );
  }

  /** @returns a text `name value` for each setting in `SHOWN`. */
  async settings() {
    const rows = await this.query(
      'postgres',
      `SELECT name, current_setting(name) AS value FROM pg_settings
      WHERE name IN (${SHOWN.map((name) => `'${name}'`).join(', ')}) ORDER BY name`,
    );
    return rows.map(({ name, value }) => `${name} ${value}`);
  }

  async version() {
    return (await this.query('postgres', 'SHOW server_version'))[0].server_version;
  }

  /** The current position of the write-ahead log, in bytes. */
  async walBytes() {
    const [row] = await this.query('postgres', "SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes");
    return Number(row.bytes);
  }

  async pid() {
    const lines = await readFile(join(this.folder, 'postgres', 'postmaster.pid'), 'utf8');
    return Number(lines.split('\n')[0]);
  }

  async stop() {
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async requireDurability() {
    const settings = await this.settings();
    const off = DURABLE.filter((name) => !settings.includes(`${name} on`));
    if (off.length > 0) throw new Error(`not measured, because commits are not durable; off: ${off.join(', ')}`);
  }
}

async function query(url, ...statements) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}
