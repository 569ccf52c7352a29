import type pg from 'pg';

/** Time without a rejected session after which a shortage has ended. */
const SHORTAGE_MS = 60_000;

/** Delay of the report after the first rejection; by then the sessions that the server admits are open. */
const REPORT_AFTER_MS = 1000;

export interface Shortage {
  readonly sessions: number;
  readonly needed: number;
}

interface SharingPool extends pg.Pool {
  /** Maximum number of sessions while the server rejects none. */
  readonly size: number;
  giveUpSession(): Promise<void>;
}

/** The pools of one server, which share the sessions that it admits. */
export class ServerSessions {
  private readonly pools: SharingPool[] = [];
  private open = 0;
  private mostOpen = 0;
  private rejectedAt = -Infinity;
  private isFreeing = false;

  /** @param report called once per shortage. */
  constructor(private readonly report: (shortage: Shortage) => void) {}

  add(pool: SharingPool): void {
    this.pools.push(pool);
    pool.on('connect', () => {
      this.open += 1;
      this.mostOpen = Math.max(this.mostOpen, this.open);
    });
    pool.on('remove', () => (this.open -= 1));
  }

  /** Null if the server has rejected no session for a minute. */
  get shortage(): Shortage | null {
    if (performance.now() - this.rejectedAt > SHORTAGE_MS) return null;
    return { sessions: this.mostOpen, needed: this.pools.reduce((sum, { size }) => sum + size, 0) };
  }

  /** Called when the server has rejected a session of a pool. A pool without sessions gets one from another pool. */
  rejected(pool: SharingPool): void {
    const isNew = this.shortage === null;
    this.rejectedAt = performance.now();
    if (isNew) {
      this.mostOpen = this.open;
      setTimeout(() => {
        if (this.shortage !== null) this.report(this.shortage);
      }, REPORT_AFTER_MS).unref();
    }
    if (pool.totalCount > 0 || this.isFreeing) return;
    const giver = this.pools
      .filter(({ totalCount, idleCount }) => totalCount > 1 || idleCount > 0)
      .sort((a, b) => b.totalCount - a.totalCount)[0];
    if (giver === undefined) return;
    this.isFreeing = true;
    void giver
      .giveUpSession()
      .catch(() => null)
      .finally(() => (this.isFreeing = false));
  }
}

/** Describes a shortage and how to end it, for the log and the readiness check. */
export function describeShortage({ sessions, needed }: Shortage): string {
  return `The database admits ${sessions} sessions of this service, which can use ${needed}, so that requests wait for each other: raise CONNECTION LIMIT of the role and the database, or max_connections, or lower DATABASE_POOL_SIZE.`;
}
