import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../harness/client.js';
import type { SeenEvent } from '../harness/log-reader.js';

const MERGE = { 'content-type': 'application/merge-patch+json', 'if-match': '*' };

/** Three writers that mint and change, and a consumer of the feed, while the database of the service is exchanged. */
export class Traffic {
  #isWriting = true;
  #expected = Infinity;
  readonly #writing: Promise<string[][]>;
  readonly #reading: Promise<string[]>;

  constructor(private readonly client: Client) {
    this.#writing = Promise.all([this.#write(), this.#write(), this.#write()]);
    this.#reading = this.#follow();
  }

  /** Stops after one more write and half a second. @returns what was written, and what the consumer has read, as `identifier version`. */
  async end(): Promise<{ written: string[]; seen: string[] }> {
    const last = await this.#insist((key) => this.client.mint({}, key));
    await pause(500);
    this.#isWriting = false;
    const written = [...(await this.#writing).flat(), `${last.identifier} 1`];
    // Also the naming authority.
    this.#expected = written.length + 1;
    return { written, seen: await this.#reading };
  }

  /** Sends a request again, with the same key, until it has succeeded. */
  async #insist(send: (headers: Record<string, string>) => ReturnType<Client['get']>): Promise<any> {
    const key = { 'idempotency-key': crypto.randomUUID() };
    for (;;) {
      const { status, body } = await send(key);
      if (status === 200 || status === 201) return body;
      if (status !== 503) throw new Error(`${status}: ${JSON.stringify(body)}`);
      await pause(50);
    }
  }

  async #write(): Promise<string[]> {
    const written: string[] = [];
    while (this.#isWriting) {
      const { identifier } = await this.#insist((key) => this.client.mint({}, key));
      written.push(`${identifier} 1`);
      const target = JSON.stringify({ target: 'https://a.example/' });
      const path = `/identifiers/${identifier}`;
      await this.#insist((key) => this.client.send('PATCH', path, { ...MERGE, ...key }, target));
      written.push(`${identifier} 2`);
    }
    return written;
  }

  /** By the cursor of the feed. */
  async #follow(): Promise<string[]> {
    const events: SeenEvent[] = [];
    for (let cursor = ''; events.length < this.#expected;) {
      const { status, body } = await this.client.get(`/events?limit=37&wait=1${cursor}`);
      if (status === 503) await pause(50);
      else if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
      else {
        events.push(...(body.items as SeenEvent[]));
        cursor = `&cursor=${body.next as string}`;
      }
    }
    return events
      .filter(({ identifier }) => identifier !== null)
      .map((event) => `${event.identifier} ${event.version}`);
  }
}
