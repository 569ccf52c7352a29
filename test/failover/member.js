import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { processesIn, signal, start } from './processes.js';

const PATRONI = process.env.PATRONI ?? '/usr/bin/patroni';

/** A host of the cluster: Patroni and its PostgreSQL. */
export class Member {
  static async create(folder, deployment, account, host, index) {
    const name = `db${index + 1}`;
    const own = join(folder, name);
    await mkdir(own, { mode: 0o700 });
    const config = join(own, 'patroni.yml');
    await writeFile(config, await deployment.patroni(host, name, own));
    if (account !== null) for (const path of [own, config]) await chown(path, account.uid, account.gid);
    return new Member({ name, folder: own, config, account, address: `127.0.0.${host}`, ports: deployment.ports });
  }

  constructor(parts) {
    Object.assign(this, parts);
  }

  /** The URL of the superuser. */
  url(database = 'postgres') {
    return `postgresql://postgres:replace-superuser@${this.address}:${this.ports.postgres}/${database}`;
  }

  start() {
    start(this.folder, 'patroni', PATRONI, [this.config], { account: this.account });
  }

  /** A crash of the host: Patroni first, so that it does not start PostgreSQL again, and the postmaster before its children. */
  kill() {
    const processes = processesIn(this.folder);
    const order = ({ command }) => [/patroni/.test(command), / -D /.test(command), true].indexOf(true);
    signal(
      processes.toSorted((a, b) => order(a) - order(b)),
      'SIGKILL',
    );
  }

  /** Stops the processes whose command line matches, until the returned function is called. */
  freeze(pattern) {
    const frozen = processesIn(this.folder).filter(({ command }) => pattern.test(command));
    if (frozen.length === 0) throw new Error(`${this.name} has no process ${pattern}`);
    signal(frozen, 'SIGSTOP');
    return () => {
      signal(frozen, 'SIGCONT');
    };
  }

  /** Runs statements as superuser. @returns the rows of the last one. */
  async query(...statements) {
    return query(this.url(), ...statements);
  }

  /** The identifiers that this member has, as `Ledger.compareWithRows` needs them. */
  identifiers() {
    return query(
      this.url('mintmark'),
      `SELECT n.prefix || '/' || coalesce(i.local_name, upper(replace(i.guid::text, '-', ''))) AS identifier, i.target,
         i.version::int AS version
       FROM identifier i JOIN naming_authority n ON n.id = i.naming_authority_id`,
    );
  }

  /** The state that Patroni reports. */
  async state() {
    const response = await this.rest('GET', '/patroni');
    return response.json();
  }

  rest(method, path, body) {
    return fetch(`http://${this.address}:${this.ports.rest}${path}`, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(3000),
    });
  }
}

/** Runs statements on a connection of their own. @returns the rows of the last one. */
export async function query(url, ...statements) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3000, query_timeout: 10_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    let rows = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end().catch(() => {});
  }
}
