import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify';
import { contentLength, hasUsableBody, isSmallBody } from '../../http/body/body-limits.js';
import { MergedBody } from '../../http/body/merged-body.js';
import { ownTurn } from '../../http/body/own-turn.js';
import { isStreamed } from '../../http/body/streamed-body.js';
import { onlyReads } from '../../http/route-settings.js';
import { Metrics } from '../../metrics/metrics.js';
import { Problem, clientGone, tooLarge } from '../../problem/problem.js';
import { clientOf, principalOf } from '../current-principal.js';
import { ipPrefixOf } from '../../http/ip-prefix.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { BytePool, poolProblem } from './byte-pool.js';
import { Places, holderOf } from './places.js';

const COUNTED_BYTES = 65_536;

const LARGE_BYTES = 1_048_576;

/** Size of each of the two pools, in bodies of the largest size. */
const LARGEST_AT_ONCE = 4;

/** Maximum number of concurrent requests with many records; each keeps up to 10 MB. One client has at most half of the requests. */
const MOST_AT_ONCE = 16;
const MOST_WAITING = 512;

/** The largest `count` of a body that is processed without a place. */
const FEW_RECORDS = 100;

const DETAILS = {
  share:
    'The large bodies that this client sends at the same time together exceed the maximum size of one body. Wait until one of these requests ends, or send smaller bodies.',
  free: 'The service is processing other large bodies. Nothing was changed; retry after Retry-After.',
};

type Kind = 'anonymous' | 'keyed';

/**
 * Limits the bytes of large bodies in memory, for the process and for each client, separately for requests with and without a key. Without
 * a key, the number of concurrent bodies of more than 1 MiB is also limited for each address.
 */
export class LargeBodies {
  private readonly byAddress: ConcurrencyLimiter;
  private readonly pools: Readonly<Record<Kind, BytePool>>;
  /** Clients that do not read the responses of reads must not delay writes. */
  private readonly places: Readonly<Record<'reads' | 'writes', Readonly<Record<Kind, Places>>>>;

  /** @param perAddress maximum number of concurrent large bodies of one address without a key; 0 for no limit. */
  constructor(
    private readonly metrics: Metrics,
    perAddress: number,
    largest: number,
  ) {
    this.byAddress = new ConcurrencyLimiter(perAddress);
    const pool = () => new BytePool(LARGEST_AT_ONCE * largest, largest);
    this.pools = { anonymous: pool(), keyed: pool() };
    const places = () => new Places(MOST_AT_ONCE, MOST_AT_ONCE / 2, MOST_WAITING);
    this.places = { reads: { anonymous: places(), keyed: places() }, writes: { anonymous: places(), keyed: places() } };
  }

  /** Rejects a body whose announced size does not fit, before it is read. @throws Problem CONCURRENCY_LIMITED or OVERLOADED */
  admit(request: FastifyRequest, reply: FastifyReply): void {
    if (!isCollected(request)) return;
    // A body over the limit is rejected with 413 later.
    const announced = Math.min(contentLength(request), request.routeOptions.bodyLimit);
    if (announced > LARGE_BYTES) this.requireRoom(request, reply);
    if (announced > COUNTED_BYTES) this.requireBytes(request, announced);
  }

  /**
   * Counts bodies while they are read, merges their small pieces, and admits them one by one before they are parsed. A small body whose
   * `count` is large is admitted after it was parsed.
   */
  watch(server: FastifyInstance): void {
    server.addHook('preParsing', (request, reply, payload, done) => {
      if (isSmallBody(request) || !isCollected(request)) done(null, payload);
      else {
        const hasMany = request.routeOptions.config.largeBody === true;
        done(null, new MergedBody(payload, this.counterOf(request, reply), () => this.enter(request, reply, hasMany)));
      }
    });
    // A hook of every request would cost single mints and look-ups 3 to 5 %.
    server.addHook('onRoute', (route) => {
      if (route.config?.takesCount === true) route.preValidation = this.admitCount;
    });
  }

  private readonly admitCount: preValidationHookHandler = (request, reply, done) => {
    if (!isSmallBody(request) || countIn(request.body) <= FEW_RECORDS) done();
    else
      void this.enter(request, reply, true).then(() => {
        done();
      }, done);
  };

  /** Waits for a place if the request has many records, and for a turn of the event loop in which the body is validated. */
  private async enter(request: FastifyRequest, reply: FastifyReply, hasMany: boolean): Promise<void> {
    if (hasMany)
      await this.places[onlyReads(request) ? 'reads' : 'writes'][kindOf(request)].hold(holderOf(request, reply));
    await ownTurn();
    if (reply.raw.closed) throw clientGone();
  }

  private counterOf(request: FastifyRequest, reply: FastifyReply): (bytes: number) => void {
    const { bodyLimit } = request.routeOptions;
    const pool = this.poolOf(request);
    const client = clientOf(request);
    let isLarge = contentLength(request) > LARGE_BYTES;
    let counted = 0;
    return (bytes) => {
      if (bytes > bodyLimit) throw tooLarge(bodyLimit);
      if (bytes <= COUNTED_BYTES || reply.raw.closed) return;
      if (bytes > LARGE_BYTES && !isLarge) this.requireRoom(request, reply);
      isLarge ||= bytes > LARGE_BYTES;
      this.requireBytes(request, bytes - counted);
      if (counted === 0) {
        reply.raw.once('close', () => {
          pool.giveBack(client, counted);
        });
      }
      pool.take(client, bytes - counted);
      counted = bytes;
    };
  }

  private poolOf(request: FastifyRequest): BytePool {
    return this.pools[kindOf(request)];
  }

  private requireRoom(request: FastifyRequest, reply: FastifyReply): void {
    if (!principalOf(request).isAnonymous || this.byAddress.acquire(ipPrefixOf(request.ip), reply.raw)) return;
    this.metrics.rejected('address_large_bodies');
    const detail = `Without an API key, one address may send at most ${this.byAddress.most} bodies of more than 1 MiB at the same time. Wait until one of these requests ends, or send smaller bodies.`;
    throw new Problem('CONCURRENCY_LIMITED', detail, { headers: { 'retry-after': '1' } });
  }

  private requireBytes(request: FastifyRequest, bytes: number): void {
    const rejection = this.poolOf(request).rejection(clientOf(request), bytes);
    if (rejection === null) return;
    this.metrics.rejected('large_bodies');
    throw poolProblem(rejection, DETAILS);
  }
}

function kindOf(request: FastifyRequest): Kind {
  return principalOf(request).isAnonymous ? 'anonymous' : 'keyed';
}

function countIn(body: unknown): number {
  const count = (body as { count?: unknown } | null | undefined)?.count;
  return typeof count === 'number' ? count : 0;
}

/** Whether a route reads the whole body before its handler runs. */
function isCollected(request: FastifyRequest): boolean {
  return hasUsableBody(request) && !isStreamed(request) && request.routeOptions.config.scopes !== undefined;
}
