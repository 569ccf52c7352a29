import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { DatabaseMetrics, gauge } from './database-metrics.js';
import type { FastifyInstance } from 'fastify';

export type MintOutcomeLabel = 'created' | 'replayed' | 'existing' | 'rejected';

export type ResolutionLabel = (typeof RESOLUTIONS)[number];

const RESOLUTIONS = ['redirected', 'shown', 'unknown', 'withdrawn', 'upstream', 'rejected'] as const;

export type HandleApiLabel = (typeof HANDLE_API_OUTCOMES)[number];

const HANDLE_API_OUTCOMES = [
  ...(['shown', 'listed', 'unknown', 'withdrawn', 'created', 'changed', 'deleted', 'rejected'] as const),
] as const;

/** The reason for rejecting a request that may succeed later. */
export type Rejection = (typeof REJECTIONS)[number];

const REJECTIONS = [
  'key_rate',
  'key_concurrency',
  'key_long_lived',
  'address_large_bodies',
  'large_bodies',
  'unread_responses',
  'naming_authority_rate',
  'unauthenticated',
  'overload',
] as const;

/** In seconds, from a mint to a stream of an hour. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600, 3600];

/** Maximum number of naming authorities with their own time series; later ones share `other`. */
const MAX_NAMING_AUTHORITIES = 500;

export interface CacheFigures {
  readonly hits: number;
  readonly misses: number;
  readonly entries: number;
  readonly bytes: number;
  /** Misses that wait for a statement. */
  readonly waiting: number;
  /** Seconds since the last successful poll of the log began; NaN without polls. */
  readonly pollAgeSeconds: number;
}

/** Prometheus metrics of this process. Labels contain no text of a client. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly namingAuthorities = new Set<string>();

  private readonly requests = new Histogram({
    name: 'mintmark_http_request_duration_seconds',
    help: 'Duration of requests in seconds, with the number of responses.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [this.registry],
  });

  private readonly errors = new Counter({
    name: 'mintmark_errors_total',
    help: 'Responses with an error, by its code.',
    labelNames: ['code'],
    registers: [this.registry],
  });

  private readonly mints = new Counter({
    name: 'mintmark_mints_total',
    help: 'Mint requests, by naming authority and outcome.',
    labelNames: ['naming_authority', 'outcome'],
    registers: [this.registry],
  });

  private readonly resolutions = new Counter({
    name: 'mintmark_resolutions_total',
    help: 'Requests to the resolver, by outcome.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  /** Counters by outcome, created once because finding labels costs more than counting. */
  private readonly resolutionCounts = Object.fromEntries(
    RESOLUTIONS.map((outcome) => [outcome, this.resolutions.labels({ outcome })]),
  ) as Record<ResolutionLabel, { inc(): void }>;

  private readonly handleApiRequests = new Counter({
    name: 'mintmark_handle_api_requests_total',
    help: 'Requests to the API of Handle servers, by outcome.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  private readonly handleApiCounts = Object.fromEntries(
    HANDLE_API_OUTCOMES.map((outcome) => [outcome, this.handleApiRequests.labels({ outcome })]),
  ) as Record<HandleApiLabel, { inc(): void }>;

  private readonly rejections = new Counter({
    name: 'mintmark_rejected_requests_total',
    help: 'Requests that were rejected because of a limit or overload, by reason.',
    labelNames: ['reason'],
    registers: [this.registry],
  });

  private readonly streams = new Counter({
    name: 'mintmark_streams_total',
    help: 'Streamed responses, by route and outcome: complete, aborted, or the code of the error that ended it.',
    labelNames: ['route', 'outcome'],
    registers: [this.registry],
  });

  private readonly queues = new Map<string, () => number>();

  readonly database = new DatabaseMetrics(this.registry, (name, depth) => {
    this.queueDepth(name, depth);
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // The series are created at the start, so that alerts can distinguish zero from missing data.
    this.mints.inc({ naming_authority: 'unknown', outcome: 'rejected' }, 0);
    for (const outcome of RESOLUTIONS) this.resolutions.inc({ outcome }, 0);
    for (const outcome of HANDLE_API_OUTCOMES) this.handleApiRequests.inc({ outcome }, 0);
    for (const reason of REJECTIONS) this.rejections.inc({ reason }, 0);
    const { registry, queues } = this;
    new Gauge({
      name: 'mintmark_queue_depth',
      help: 'Length of a queue of this process.',
      labelNames: ['queue'],
      registers: [registry],
      collect() {
        for (const [queue, depth] of queues) this.set({ queue }, depth());
      },
    });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  scrape(): Promise<string> {
    return this.registry.metrics();
  }

  /** @param route pattern of the route; null if none matched. */
  responded(method: string, route: string | null, status: number, seconds: number): void {
    this.requests.observe({ method, route: route ?? 'unmatched', status }, seconds);
  }

  /** @param code one of the catalogue. */
  failed(code: string): void {
    this.errors.inc({ code });
  }

  /** @param outcome "complete", "aborted" or a code of the catalogue. */
  streamed(route: string, outcome: string): void {
    this.streams.inc({ route, outcome });
  }

  minted(namingAuthority: string, outcome: MintOutcomeLabel, count = 1): void {
    this.mints.inc({ naming_authority: this.labelOf(namingAuthority, outcome), outcome }, count);
  }

  resolved(outcome: ResolutionLabel): void {
    this.resolutionCounts[outcome].inc();
  }

  handleApi(outcome: HandleApiLabel): void {
    this.handleApiCounts[outcome].inc();
  }

  rejected(reason: Rejection): void {
    this.rejections.inc({ reason });
  }

  /** Exports the length of a queue. A second queue with the same `name` replaces the first. */
  queueDepth(name: string, depth: () => number): void {
    this.queues.set(name, depth);
  }

  /** @param dropped returns the number of log lines that were not written. */
  watchLog(dropped: () => number): void {
    new Counter({
      name: 'mintmark_log_dropped_lines_total',
      help: 'Lines of the log that were dropped because of LOG_LINES_PER_SECOND.',
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(dropped());
      },
    });
  }

  describeBuild(version: string, nodeVersion: string): void {
    new Gauge({
      name: 'mintmark_build_info',
      help: 'The versions of Mintmark and of Node.js; always 1.',
      labelNames: ['version', 'node_version'],
      registers: [this.registry],
    }).set({ version, node_version: nodeVersion }, 1);
  }

  /** Exports figures of the cache of records, and its waiting misses as the queue `resolutions`. */
  watchRecordCache(cache: CacheFigures): void {
    new Counter({
      name: 'mintmark_record_cache_reads_total',
      help: 'Reads of the cache of records, by result.',
      labelNames: ['result'],
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc({ result: 'hit' }, cache.hits);
        this.inc({ result: 'miss' }, cache.misses);
      },
    });
    gauge(this.registry, 'mintmark_record_cache_entries', 'Entries of the cache of records.', () => cache.entries);
    gauge(
      this.registry,
      'mintmark_record_cache_bytes',
      'Estimated memory of the cache of records in bytes.',
      () => cache.bytes,
    );
    gauge(
      this.registry,
      'mintmark_record_cache_poll_age_seconds',
      'Seconds since the last successful poll of the change log began; NaN while the cache is not used.',
      () => cache.pollAgeSeconds,
    );
    this.queueDepth('resolutions', () => cache.waiting);
  }

  private labelOf(namingAuthority: string, outcome: MintOutcomeLabel): string {
    if (this.namingAuthorities.has(namingAuthority)) return namingAuthority;
    if (outcome === 'rejected') return 'unknown';
    if (this.namingAuthorities.size >= MAX_NAMING_AUTHORITIES) return 'other';
    this.namingAuthorities.add(namingAuthority);
    return namingAuthority;
  }
}

export function countRequests(server: FastifyInstance, metrics: Metrics): void {
  server.decorateReply('problemCode', null);
  server.decorateRequest('streamProblem', null);
  server.decorate('streamEnded', (route: string, outcome: string) => {
    metrics.streamed(route, outcome);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? null : (request.routeOptions.url ?? null);
    if (reply.problemCode !== null) metrics.failed(reply.problemCode);
    metrics.responded(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
}
