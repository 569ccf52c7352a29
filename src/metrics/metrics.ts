import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { DatabaseMetrics } from './database-metrics.js';
import { MetricSource } from './metric-source.js';

export type MintOutcomeLabel = 'created' | 'replayed' | 'existing' | 'rejected';

export type ResolutionLabel = (typeof RESOLUTIONS)[number];

const RESOLUTIONS = ['redirected', 'shown', 'unknown', 'withdrawn', 'upstream', 'rejected'] as const;

export type HandleApiLabel = (typeof HANDLE_API_OUTCOMES)[number];

const HANDLE_API_OUTCOMES = [
  ...(['shown', 'listed', 'unknown', 'withdrawn', 'created', 'changed', 'deleted', 'rejected'] as const),
] as const;

/** The reason for rejecting a request that could succeed later. */
export type Rejection = (typeof REJECTIONS)[number];

const REJECTIONS = [
  'key_rate',
  'key_concurrency',
  'key_long_lived',
  'large_bodies',
  'unread_responses',
  'naming_authority_rate',
  'unauthenticated',
  'overload',
] as const;

/** In seconds, from a mint to a stream of an hour. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600, 3600];

/** Time for which a scrape waits for others. It limits the processor time of scrapes. */
const GATHER_MS = 50;

/** Maximum number of naming authorities with their own time series. Later naming authorities share `other`. */
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
export class Metrics extends MetricSource {
  private readonly namingAuthorities = new Set<string>();
  private readonly queues = new Map<string, () => number>();
  private scraping: Promise<string> | null = null;

  private readonly requests = new Histogram({
    name: 'mintmark_http_request_duration_seconds',
    help: 'Duration of requests in seconds, with the number of responses.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [this.registry],
  });

  private readonly errors = this.counter('mintmark_errors_total', 'Responses with an error, by its code.', 'code');

  private readonly mints = this.counter(
    'mintmark_mints_total',
    'Requested identifiers, by naming authority and outcome.',
    ...(['naming_authority', 'outcome'] as const),
  );

  private readonly resolutions = this.counters(
    'mintmark_resolutions_total',
    'Requests to the resolver, by outcome.',
    'outcome',
    RESOLUTIONS,
  );

  private readonly handleApiRequests = this.counters(
    'mintmark_handle_api_requests_total',
    'Requests to the API of Handle servers, by outcome.',
    'outcome',
    HANDLE_API_OUTCOMES,
  );

  private readonly rejections = this.counters(
    'mintmark_rejected_requests_total',
    'Requests that were rejected because of a limit or overload, by reason.',
    'reason',
    REJECTIONS,
  );

  private readonly streams = this.counter(
    'mintmark_streams_total',
    'Streamed responses, by route and outcome: complete, aborted, or the code of the error that ended it.',
    ...(['route', 'outcome'] as const),
  );

  readonly database = new DatabaseMetrics(this.registry, this.queueDepth.bind(this));

  constructor() {
    super(new Registry());
    collectDefaultMetrics({ register: this.registry });
    this.mints.inc({ naming_authority: 'unknown', outcome: 'rejected' }, 0);
    const depths = () => Object.fromEntries([...this.queues].map(([queue, depth]) => [queue, depth()]));
    this.scraped('mintmark_queue_depth', 'Length of a queue of this process.', depths, 'queue');
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Concurrent scrapes share one text. */
  scrape(): Promise<string> {
    this.scraping ??= this.write().finally(() => {
      this.scraping = null;
    });
    return this.scraping;
  }

  /** @param route null if no route has the path and the method. Clients can send any method, so these requests share one label. */
  responded(method: string, route: string | null, status: number, seconds: number): void {
    const labels = route === null ? { method: 'other', route: 'unmatched' } : { method, route };
    this.requests.observe({ ...labels, status }, seconds);
  }

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
    this.resolutions[outcome].inc();
  }

  handleApi(outcome: HandleApiLabel): void {
    this.handleApiRequests[outcome].inc();
  }

  rejected(reason: Rejection): void {
    this.rejections[reason].inc();
  }

  /** Exports the length of a queue. A second queue with the same `name` replaces the first. */
  queueDepth(name: string, depth: () => number): void {
    this.queues.set(name, depth);
  }

  watchLog(dropped: () => number): void {
    const help = 'Lines of the log that were dropped because of LOG_LINES_PER_SECOND.';
    this.scraped('mintmark_log_dropped_lines_total', help, dropped, undefined, Counter);
  }

  describeBuild(version: string, nodeVersion: string): void {
    new Gauge({
      name: 'mintmark_build_info',
      help: 'The versions of Mintmark and of Node.js; always 1.',
      labelNames: ['version', 'node_version'],
      registers: [this.registry],
    }).set({ version, node_version: nodeVersion }, 1);
  }

  watchRecordCache(cache: CacheFigures): void {
    const reads = () => ({ hit: cache.hits, miss: cache.misses });
    const help = 'Reads of the cache of records, by result.';
    this.scraped('mintmark_record_cache_reads_total', help, reads, 'result', Counter);
    this.scraped('mintmark_record_cache_entries', 'Entries of the cache of records.', () => cache.entries);
    const bytes = 'Estimated memory of the cache of records in bytes.';
    this.scraped('mintmark_record_cache_bytes', bytes, () => cache.bytes);
    const age = 'Seconds since the last successful poll of the change log began; NaN while the cache is not used.';
    this.scraped('mintmark_record_cache_poll_age_seconds', age, () => cache.pollAgeSeconds);
    this.queueDepth('resolutions', () => cache.waiting);
  }

  private async write(): Promise<string> {
    // Each turn of the event loop accepts one connection, and writing can take one turn, so scrapes would otherwise share no text.
    await pause(GATHER_MS);
    return this.registry.metrics();
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
    const { url = null, config } = request.routeOptions;
    // Only the routes that reject every request require no scopes (see `countUnrouted`).
    const route = config.scopes === undefined ? null : url;
    if (reply.problemCode !== null) metrics.failed(reply.problemCode);
    metrics.responded(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
}
