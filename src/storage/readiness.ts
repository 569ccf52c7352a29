import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, Optional } from '@nestjs/common';
import pg from 'pg';
import { CommitProbe, SESSION_NAME } from '../database/commit-probe.js';
import { CommitWatch, STANDING_MS } from '../database/commit-watch.js';
import { type Blocker, LockProbe } from '../database/lock-probe.js';
import { InRecoveryError } from '../database/pool.js';
import { ConnectionPool, describeShortage, isSessionRejected } from '../database/connection-pool.js';
import { IN_RECOVERY, WRITE_STATE, type WriteState, reasonAgainstWrites } from '../database/writable-server.js';
import { pendingMigrations } from '../database/schema-state.js';
import { causeInWords } from '../problem/database-causes.js';
import { databaseProblem } from '../problem/database-errors.js';
import { Problem } from '../problem/problem.js';
import { notReady } from '../problem/storage-problems.js';
import { isNewServer } from './changes/position-offset.js';
import { Transactions } from './transactions.js';

/** Checks within this time share one result. */
const MAX_AGE_MS = 1000;

/** Age of the last result above which a scrape starts a check and waits for it. */
const MAX_GAUGE_AGE_MS = 10_000;

const GAUGE_WAIT_MS = 500;

/** Maximum wait for the state of a server whose commits are stalled. The server might not respond, or all connections might be waiting. */
const STANDING_WAIT_MS = 500;

/** $1: the session whose commit waits, or null. */
const SERVER_STATE = `
  SELECT ${WRITE_STATE}, current_setting('synchronous_standby_names') <> '' AS "hasStandby",
         $1::text IS NULL OR EXISTS (SELECT FROM pg_stat_activity WHERE ${SESSION_NAME} = $1) AS "hasProbe"`;

interface ServerState extends WriteState {
  readonly hasStandby: boolean;
  readonly hasProbe: boolean;
}

/**
 * Decides whether the service can process requests, including writes. A check waits for no write, but can start two: a commit probe if a
 * synchronous standby is configured or a write failed, and the raise of the offset after a start of the server.
 */
@Injectable()
export class Readiness {
  private last: { readonly result: Promise<void>; endedAt: number } | null = null;
  private lastResult = NaN;
  private reading: Promise<ServerState> | null = null;
  private wasLocked = false;

  constructor(
    @Inject(pg.Pool) private readonly pool: pg.Pool,
    private readonly commits: CommitWatch,
    private readonly probe: CommitProbe,
    private readonly locks: LockProbe,
    @Optional() @Inject(Transactions) private readonly transactions: Transactions | null = null,
  ) {}

  /** @throws Problem DATABASE_UNAVAILABLE with the reason, or an error of the database. */
  async require(): Promise<void> {
    if (this.last === null || performance.now() - this.last.endedAt > MAX_AGE_MS) {
      const check = { result: this.check(), endedAt: Infinity };
      const ended = check.result.then(
        () => 1,
        () => 0,
      );
      void ended.then((result) => {
        check.endedAt = performance.now();
        this.lastResult = result;
      });
      this.last = check;
    }
    return this.last.result;
  }

  /** 1 if the last check succeeded, 0 if it failed, NaN before the first. Starts a check if there has been none recently. */
  async gauge(): Promise<number> {
    if (this.last === null || performance.now() - this.last.endedAt > MAX_GAUGE_AGE_MS) {
      await Promise.race([this.require().catch(() => null), pause(GAUGE_WAIT_MS, null, { ref: false })]);
    }
    return this.lastResult;
  }

  /** A sentence which says that the database admits too few sessions; null if it has rejected none for a minute. */
  get shortage(): string | null {
    const shortage = this.pool instanceof ConnectionPool ? (this.pool.sessions?.shortage ?? null) : null;
    return shortage === null ? null : describeShortage(shortage);
  }

  private async check(): Promise<void> {
    try {
      // The first failure counts, because the other statements might be waiting for a connection while a table is locked.
      await Promise.all([this.checkServer(), this.checkLock()]);
    } catch (error) {
      const cause = error instanceof Problem ? null : causeInWords(error);
      if (cause === null || (databaseProblem(error)?.code ?? 'OVERLOADED') === 'OVERLOADED') throw error;
      throw notReady(`The database is unavailable: ${cause}.`, error, { isOfRead: true });
    }
  }

  /** Does nothing while the database rejects sessions, because the probe would occupy a session that requests need. */
  private async checkLock(): Promise<void> {
    const isShort = this.pool instanceof ConnectionPool && this.pool.isLowered;
    const lock = isShort ? null : await this.locks.find();
    // `doubt` causes a commit probe. After the commit of the probe, the end of the outage is logged.
    if (this.wasLocked && lock === null) this.commits.doubt();
    this.wasLocked = lock !== null;
    if (lock === null) return;
    const { blocker, cause } = lock;
    const by = blocker === null ? '' : ` by ${describe(blocker)}`;
    const table = blocker?.table == null ? 'a table' : `the table "${blocker.table}"`;
    throw notReady(`55P03 ${table} is locked${by}, and no write was completed meanwhile.`, cause, {
      logged: { blocker },
    });
  }

  private async checkServer(): Promise<void> {
    this.reading ??= this.readServer().finally(() => (this.reading = null));
    const late = this.commits.isStanding ? [pause(STANDING_WAIT_MS, null, { ref: false })] : [];
    const server = await Promise.race([this.reading, ...late]);
    const reason = server && reasonAgainstWrites(server);
    if (reason != null) throw this.notReady(reason);
    if (this.commits.isStanding) {
      const cause = server?.hasStandby === true ? 'the synchronous standby does not confirm commits' : 'commits wait';
      throw this.notReady(`The database has completed no commit for ${STANDING_MS / 1000} s or longer: ${cause}.`);
    }
    const missing = (await pendingMigrations(this.pool)).map(({ name }) => name);
    if (missing.length > 0) throw this.notReady(`The database is missing the migrations ${missing.join(', ')}.`);
    if (await isNewServer(this.pool)) {
      // The first write of a session raises the offset.
      void this.transactions?.run(async () => {}).catch(() => {});
      throw this.notReady(
        'The database server was started, and the offset of the positions of events is not raised yet.',
      );
    }
  }

  private async readServer(): Promise<ServerState> {
    const { waitingSession } = this.probe;
    const server = await this.readState(waitingSession);
    if (waitingSession !== null && !server.hasProbe) this.probe.abandon(waitingSession);
    if (reasonAgainstWrites(server) === null && (server.hasStandby || this.commits.isDoubtful)) this.probe.send();
    return server;
  }

  /** Reads the state of the server. If it accepts no writes, the session is closed, because a new one may reach the next primary. */
  private async readState(session: string | null): Promise<ServerState> {
    const client = await this.pool.connect().catch((error: unknown) => {
      if (isSessionRejected(error) && this.shortage !== null) {
        throw this.notReady(`The database rejects sessions: 53300 too many connections. ${this.shortage}`);
      }
      throw error instanceof InRecoveryError ? this.notReady(IN_RECOVERY) : error;
    });
    let isSound = false;
    try {
      const { rows } = await client.query<ServerState>(SERVER_STATE, [session]);
      const [server] = rows;
      if (server === undefined) throw new TypeError('a state is one row');
      isSound = reasonAgainstWrites(server) === null;
      return server;
    } finally {
      client.release(!isSound);
    }
  }

  private notReady(detail: string): Problem {
    this.commits.doubt();
    return notReady(detail);
  }
}

function describe({ pid, ageSeconds }: Blocker): string {
  if (pid === 0) return 'a prepared transaction (pg_prepared_xacts)';
  const age = ageSeconds === null ? '' : `, whose transaction has been open for ${ageSeconds} s`;
  return `process ${pid} of the database${age}`;
}
