import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, clientGone } from '../../problem/problem.js';
import { clientOf } from '../current-principal.js';
import { BytePool, poolProblem } from './byte-pool.js';
import { type Closing, whenOver } from './concurrency-limiter.js';

export interface PlaceHolder {
  readonly client: string;
  readonly response: Closing & { off(event: 'close', listener: () => void): unknown };
}

export function holderOf(request: FastifyRequest, { raw }: FastifyReply): PlaceHolder {
  return { client: clientOf(request), response: raw };
}

interface Waiting {
  readonly client: string;
  readonly enter: () => void;
}

/** Limits the concurrency of costly work; further requests wait in order. */
export class Places {
  private readonly taken: BytePool;
  private readonly queue: BytePool;
  private readonly waiting = new Set<Waiting>();

  /** @param mostWaiting maximum number of requests that wait for their first place; one client has at most half of them. */
  constructor(
    private readonly most: number,
    private readonly share: number,
    mostWaiting = 200,
    private readonly limitMs = 10_000,
  ) {
    this.taken = new BytePool(most, share);
    this.queue = new BytePool(mostWaiting, Math.ceil(mostWaiting / 2));
  }

  /**
   * Runs work while holding a place.
   * @param limitMs maximum wait for a place; Infinity for a request that has had one.
   * @throws Problem OVERLOADED, CONCURRENCY_LIMITED, or REQUEST_TIMEOUT for a closed connection.
   */
  async run<T>(holder: PlaceHolder, work: () => Promise<T>, limitMs = this.limitMs): Promise<T> {
    await this.enter(holder, limitMs);
    try {
      const result = await work();
      if (holder.response.closed) throw clientGone();
      return result;
    } finally {
      this.leave(holder.client);
    }
  }

  /** Holds a place until the response has closed and its handler has ended. @throws Problem as `run` does. */
  async hold(holder: PlaceHolder): Promise<void> {
    await this.enter(holder, this.limitMs);
    whenOver(holder.response, () => {
      this.leave(holder.client);
    });
  }

  /**
   * Yields the parts of a stream. Holds a place from the read of each part until the next part is requested or the client disconnects.
   * @throws Problem as `run` does; after the first part, only REQUEST_TIMEOUT.
   */
  async *parts<T>(holder: PlaceHolder, source: AsyncIterator<T> | Iterator<T>): AsyncGenerator<T, undefined> {
    const { client, response } = holder;
    for (let limitMs = this.limitMs; ; limitMs = Infinity) {
      await this.enter(holder, limitMs);
      let isHeld = true;
      const leave = (): void => {
        response.off('close', leave);
        if (isHeld) this.leave(client);
        isHeld = false;
      };
      try {
        const part = await source.next();
        if (part.done === true) return undefined;
        if (response.closed) throw clientGone();
        // A suspended generator does not end when its reader disconnects, so `close` releases the place.
        response.once('close', leave);
        yield part.value;
      } finally {
        leave();
      }
    }
  }

  private async enter(holder: PlaceHolder, limitMs: number): Promise<void> {
    const { client, response } = holder;
    if (response.closed) throw clientGone();
    if (this.taken.rejection(client, 1) === null) this.taken.take(client, 1);
    else await this.wait(holder, limitMs);
  }

  private leave(client: string): void {
    this.taken.giveBack(client, 1);
    for (const each of this.waiting) if (this.taken.rejection(each.client, 1) === null) each.enter();
  }

  private wait({ client, response }: PlaceHolder, limitMs: number): Promise<void> {
    const isStarted = limitMs === Infinity;
    if (!isStarted && this.queue.rejection(client, 1) !== null) return Promise.reject(this.rejectionOf(client));
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(limit);
        response.off('close', gone);
        this.waiting.delete(waiting);
        if (!isStarted) this.queue.giveBack(client, 1);
      };
      const waiting: Waiting = {
        client,
        enter: () => {
          end();
          this.taken.take(client, 1);
          resolve();
        },
      };
      const gone = (): void => {
        end();
        reject(clientGone());
      };
      const late = (): void => {
        end();
        reject(this.rejectionOf(client));
      };
      // setTimeout with Infinity would run at once.
      const limit = isStarted ? undefined : setTimeout(late, limitMs);
      if (!isStarted) this.queue.take(client, 1);
      this.waiting.add(waiting);
      response.once('close', gone);
    });
  }

  private rejectionOf(client: string): Problem {
    const rest = 'such requests are served at once, and others wait for them; retry later.';
    const details = {
      share: `Of one client, at most ${this.share} ${rest}`,
      free: `At most ${this.most} ${rest}`,
    };
    return poolProblem(this.taken.rejection(client, 1) ?? 'free', details, 2);
  }
}

/** Places for short reads, which only `run` holds. Clients that do not read their exports must not delay lists or the event feed. */
export class ShortPlaces extends Places {}
