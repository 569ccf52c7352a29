import type pg from 'pg';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** How a mint ended: minted, the first answer again, found by its metadata ID, or refused with a problem. */
export type MintOutcome = 'created' | 'replayed' | 'existing' | 'refused';

/** Why a request was refused that the service could have served at another time. */
export type Refusal = 'key_rate' | 'key_concurrency' | 'key_long_lived' | 'naming_authority_rate' | 'overload';

const REFUSALS: readonly Refusal[] = [
  'key_rate',
  'key_concurrency',
  'key_long_lived',
  'naming_authority_rate',
  'overload',
];

/** Seconds. A mint takes milliseconds, and a request that arrives slowly may take up to its time limit. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** How many naming authorities get a time series of their own; later ones share `other`. */
const MAX_NAMING_AUTHORITIES = 500;

/**
 * What the service counts, for Prometheus. The values are this process's own and start at zero with it. No label takes a
 * text that a caller chose: routes are patterns, and only a naming authority that has minted is named.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly namingAuthorities = new Set<string>();

  private readonly requests = new Histogram({
    name: 'mintmark_http_request_duration_seconds',
    help: 'Requests that were answered, and how long that took.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [this.registry],
  });

  private readonly mints = new Counter({
    name: 'mintmark_mints_total',
    help: 'Mints that were asked for, by naming authority and outcome.',
    labelNames: ['naming_authority', 'outcome'],
    registers: [this.registry],
  });

  private readonly refusals = new Counter({
    name: 'mintmark_refused_requests_total',
    help: 'Requests that a limit or an overload refused, by reason.',
    labelNames: ['reason'],
    registers: [this.registry],
  });

  private readonly queues = new Map<string, () => number>();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // A series that is there from the start, so that an alert can tell "none" from "not watched".
    this.mints.inc({ naming_authority: 'unknown', outcome: 'refused' }, 0);
    for (const reason of REFUSALS) this.refusals.inc({ reason }, 0);
    const { registry, queues } = this;
    new Gauge({
      name: 'mintmark_queue_depth',
      help: 'What waits in a queue of this process.',
      labelNames: ['queue'],
      registers: [registry],
      collect() {
        for (const [queue, depth] of queues) this.set({ queue }, depth());
      },
    });
  }

  /** The media type of `scrape()`, of the Prometheus text format. */
  get contentType(): string {
    return this.registry.contentType;
  }

  /** Everything that was counted, in the Prometheus text format. */
  scrape(): Promise<string> {
    return this.registry.metrics();
  }

  /**
   * Counts a request that was answered.
   * @param route the pattern of the route, never the path; null where none matched.
   */
  answered(method: string, route: string | null, status: number, seconds: number): void {
    this.requests.observe({ method, route: route ?? 'unmatched', status }, seconds);
  }

  /**
   * Counts mints. A refusal may hold any naming authority that a caller made up, so it is counted under `unknown` until
   * that naming authority has minted.
   * @param namingAuthority where something was minted, in the spelling that it was created with.
   * @param count how many identifiers were asked for, in a batch more than one.
   */
  minted(namingAuthority: string, outcome: MintOutcome, count = 1): void {
    this.mints.inc({ naming_authority: this.labelOf(namingAuthority, outcome), outcome }, count);
  }

  /** Counts a request that a limit or an overload refused. */
  refused(reason: Refusal): void {
    this.refusals.inc({ reason });
  }

  /** Shows how long a queue is at each scrape. `name` is a constant of the code; a name given again replaces the queue. */
  queueDepth(name: string, depth: () => number): void {
    this.queues.set(name, depth);
  }

  /** Shows the connections of all pools, and the statements that wait for one as the queue `database_pool`. */
  watchPools(...pools: readonly pg.Pool[]): void {
    const sum = (count: (pool: pg.Pool) => number): number => pools.reduce((total, pool) => total + count(pool), 0);
    new Gauge({
      name: 'mintmark_database_connections',
      help: 'Connections to the database, by state.',
      labelNames: ['state'],
      registers: [this.registry],
      collect() {
        this.set(
          { state: 'idle' },
          sum((pool) => pool.idleCount),
        );
        this.set(
          { state: 'busy' },
          sum((pool) => pool.totalCount - pool.idleCount),
        );
      },
    });
    new Gauge({
      name: 'mintmark_database_connections_limit',
      help: 'Connections that this process may open at most.',
      registers: [this.registry],
    }).set(sum((pool) => pool.options.max));
    this.queueDepth('database_pool', () => sum((pool) => pool.waitingCount));
  }

  private labelOf(namingAuthority: string, outcome: MintOutcome): string {
    if (this.namingAuthorities.has(namingAuthority)) return namingAuthority;
    if (outcome === 'refused') return 'unknown';
    if (this.namingAuthorities.size >= MAX_NAMING_AUTHORITIES) return 'other';
    this.namingAuthorities.add(namingAuthority);
    return namingAuthority;
  }
}
