import { setTimeout as pause } from 'node:timers/promises';

/** A consumer of `GET /events` that continues with `next`, as an index does. */
export class Feed {
  #stopped = false;
  #cursor;
  /** `identifier version` of each event in order. */
  events = [];
  /** Responses that are neither a page nor 503. */
  failures = [];

  /** @param requests of its own, so that long polls are not measured as reads. */
  constructor(requests) {
    this.requests = requests;
  }

  start() {
    this.work = this.#follow();
  }

  async #follow() {
    while (!this.#stopped) {
      try {
        if ((await this.#page(2)) === null) await pause(200);
      } catch (error) {
        this.failures.push(error.message);
        return;
      }
    }
  }

  /** @returns the number of events of the next page, null when it was rejected for now. */
  async #page(wait) {
    const cursor = this.#cursor === undefined ? '' : `&cursor=${encodeURIComponent(this.#cursor)}`;
    const { status, body } = await this.requests.send('feed', { path: `/events?limit=500&wait=${wait}${cursor}` });
    if (status === 0 || status === 503) return null;
    if (status !== 200) throw new Error(`GET /events: ${status} ${JSON.stringify(body)}`);
    this.#cursor = body.next;
    const changes = body.items.filter(({ identifier }) => identifier !== null);
    this.events.push(...changes.map(({ identifier, version }) => `${identifier} ${version}`));
    return body.items.length;
  }

  /**
   * Ends the consumer when it has seen all that `ledger` acknowledged, or nothing new for some seconds.
   * @returns acknowledged events that it did not see (`missing`), and events that it saw twice (`repeated`).
   */
  async finish(ledger) {
    for (let quiet = 0; quiet < 10 && this.failures.length === 0; quiet++) {
      if (ledger.missingIn(new Set(this.events)).length === 0) break;
      const before = this.events.length;
      await pause(500);
      if (this.events.length > before) quiet = 0;
    }
    this.#stopped = true;
    await this.work;
    const seen = new Set(this.events);
    return { missing: ledger.missingIn(seen), repeated: this.events.length - seen.size };
  }
}
