import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Postgres } from './postgres.js';

/** A PostgreSQL whose commits wait for a synchronous standby that does not exist, while `freeze` is in effect. */
export class FrozenStandby {
  static async start(): Promise<FrozenStandby> {
    return new FrozenStandby(await Postgres.start());
  }

  private constructor(private readonly server: Postgres) {}

  get url(): string {
    return this.server.url;
  }

  async freeze(): Promise<void> {
    await this.setNames('nobody');
    await this.awaitEffect();
  }

  async thaw(): Promise<void> {
    await this.setNames('');
  }

  /** The sessions of the service, and those of them that wait for the standby. */
  async sessions(): Promise<{ all: number; waiting: number }> {
    const [row] = await this.query<{ all: number; waiting: number }>(
      `SELECT count(*)::int AS all, count(*) FILTER (WHERE wait_event = 'SyncRep')::int AS waiting
       FROM pg_stat_activity WHERE application_name = 'mintmark'`,
    );
    return row!;
  }

  /** Waits until a session waits for the standby, and ends all that do. */
  async endWaiting(how: 'pg_terminate_backend' | 'pg_cancel_backend' = 'pg_terminate_backend'): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt++) {
      const ended = await this.query(`SELECT ${how}(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
      if (ended.length > 0) return;
      await pause(50);
    }
    throw new Error('no session waits for the standby');
  }

  async query<T extends pg.QueryResultRow>(...statements: string[]): Promise<T[]> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      let rows: T[] = [];
      for (const statement of statements) ({ rows } = await client.query<T>(statement));
      return rows;
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  /** A busy server applies the setting late: returns when the commit of an own session has waited. */
  private async awaitEffect(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url, application_name: 'freeze' });
    await client.connect();
    for (let waited = false; !waited;) {
      const commit = client.query(`SELECT pg_logical_emit_message(true, 'freeze', '')`).then(() => 'ended' as const);
      while ((await Promise.race([commit, pause(20, 'commits' as const)])) === 'commits') {
        const ended = await this.query(
          `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'freeze' AND wait_event = 'SyncRep'`,
        );
        waited ||= ended.length > 0;
      }
    }
    await client.end();
  }

  private async setNames(names: string): Promise<void> {
    await this.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`, 'SELECT pg_reload_conf()');
    // Sessions read the setting at their next statement; other processes a moment later.
    for (let attempt = 0; attempt < 100; attempt++) {
      const [row] = await this.query<{ value: string }>(`SHOW synchronous_standby_names`);
      if (Object.values(row!)[0] === names) break;
      await pause(20);
    }
    await pause(100);
  }
}
