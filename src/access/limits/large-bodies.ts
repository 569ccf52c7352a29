import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify';
import { contentLength, hasUsableBody, isSmallBody } from '../../http/body/body-limits.js';
import { MergedBody } from '../../http/body/merged-body.js';
import { ownTurn } from '../../http/body/own-turn.js';
import { isStreamed } from '../../http/body/streamed-body.js';
import { onlyReads } from '../../http/route-settings.js';
import { Metrics } from '../../metrics/metrics.js';
import { clientGone, tooLarge } from '../../problem/problem.js';
import { clientOf, principalOf } from '../current-principal.js';
import { BytePool, poolProblem } from './byte-pool.js';
import { Places, holderOf } from './places.js';

const COUNTED_BYTES = 16_384;

/** Size of the pool, in bodies of the largest size. */
const LARGEST_AT_ONCE = 4;

/** Maximum number of concurrent requests with many records; each keeps up to 10 MB. One client can have at most half of these requests. */
const MOST_AT_ONCE = 16;
const MOST_WAITING = 512;

/** A request with a small body and at most this number of records needs no place. */
const FEW_RECORDS = 100;

const DETAILS = {
  share:
    'The large bodies that this client sends at the same time together exceed the maximum size of one body. Wait until one of these requests ends, or send smaller bodies.',
  free: 'The service is processing other large bodies. Nothing was changed; retry after Retry-After.',
};

interface Limits {
  readonly pool: BytePool;
  /** Clients that do not read the responses of reads must not delay writes. */
  readonly reads: Places;
  readonly writes: Places;
}

/** Limits the bytes of large bodies in memory, and the requests with many records, for the process and for each client. */
export class LargeBodies {
  private readonly keyed: Limits;
  /** Separate limits, so that clients without a key at many addresses cannot delay clients with a key. */
  private readonly anonymous: Limits;

  /** @param largest maximum size of one body in bytes, and of all bodies of one client. */
  constructor(
    private readonly metrics: Metrics,
    largest: number,
  ) {
    const places = (): Places => new Places(MOST_AT_ONCE, MOST_AT_ONCE / 2, MOST_WAITING);
    const limits = (): Limits => ({
      pool: new BytePool(LARGEST_AT_ONCE * largest, largest),
      reads: places(),
      writes: places(),
    });
    this.keyed = limits();
    this.anonymous = limits();
  }

  /** Rejects a body whose announced size does not fit, before it is read. @throws Problem CONCURRENCY_LIMITED or OVERLOADED */
  admit(request: FastifyRequest): void {
    if (!isCollected(request)) return;
    // A body over the limit is rejected with 413 later.
    const announced = Math.min(contentLength(request), request.routeOptions.bodyLimit);
    if (announced > COUNTED_BYTES) this.requireBytes(request, announced);
  }

  /**
   * Counts bodies while they are read, merges their small pieces, and admits them one by one before they are parsed. A small body with
   * many records is admitted after it was parsed.
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
      const { largeBody, takesCount } = route.config ?? {};
      if (largeBody === true || takesCount === true) route.preValidation = this.admitSmall;
    });
  }

  private readonly admitSmall: preValidationHookHandler = (request, reply, done) => {
    if (!isSmallBody(request) || recordsIn(request.body) <= FEW_RECORDS) done();
    else
      void this.enter(request, reply, true).then(() => {
        done();
      }, done);
  };

  /** Waits for a place if the request has many records, and for a turn of the event loop in which the body is parsed or validated. */
  private async enter(request: FastifyRequest, reply: FastifyReply, hasMany: boolean): Promise<void> {
    if (hasMany) await this.limitsOf(request)[onlyReads(request) ? 'reads' : 'writes'].hold(holderOf(request, reply));
    await ownTurn();
    if (reply.raw.closed) throw clientGone();
  }

  private counterOf(request: FastifyRequest, reply: FastifyReply): (bytes: number) => void {
    const { bodyLimit } = request.routeOptions;
    const { pool } = this.limitsOf(request);
    const client = clientOf(request);
    let counted = 0;
    return (bytes) => {
      if (bytes > bodyLimit) throw tooLarge(bodyLimit);
      if (bytes <= COUNTED_BYTES || reply.raw.closed) return;
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

  private limitsOf(request: FastifyRequest): Limits {
    return principalOf(request).isAnonymous ? this.anonymous : this.keyed;
  }

  private requireBytes(request: FastifyRequest, bytes: number): void {
    const rejection = this.limitsOf(request).pool.rejection(clientOf(request), bytes);
    if (rejection === null) return;
    this.metrics.rejected('large_bodies');
    throw poolProblem(rejection, DETAILS);
  }
}

/** The number of records that an unvalidated body has as `items` or requests by `count`. */
function recordsIn(body: unknown): number {
  const { items, count } = (body ?? {}) as { items?: unknown; count?: unknown };
  if (Array.isArray(items)) return items.length;
  return typeof count === 'number' ? count : 0;
}

/** Whether a route reads the whole body before its handler runs. */
function isCollected(request: FastifyRequest): boolean {
  return hasUsableBody(request) && !isStreamed(request) && request.routeOptions.config.scopes !== undefined;
}
