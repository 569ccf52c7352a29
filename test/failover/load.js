import { setTimeout as pause } from 'node:timers/promises';
import { NAMING_AUTHORITY } from './service.js';

/** About 45 writes and 30 reads a second, from 40 clients. */
const WRITERS = 24;
const WRITE_EVERY_MS = 530;
const READERS = 16;
const READ_EVERY_MS = 530;

const BATCH_SIZE = 5;

/** How long after the end of the load a client repeats a request that has not succeeded. */
const FINISH_MS = 60_000;

let operations = 0;

/** Clients that mint, mint batches, change what they minted, and read what was acknowledged before. */
export class Load {
  #end = Infinity;
  #work = [];
  #known = [];
  /** Responses that no repeat changes, as text. */
  failures = [];

  /** @param readAfterMs the age at which an identifier is read: a standby that is not the synchronous one can receive it later. */
  constructor(requests, ledger, readAfterMs = 1000) {
    this.requests = requests;
    this.ledger = ledger;
    this.readAfterMs = readAfterMs;
  }

  start() {
    for (let index = 0; index < WRITERS; index++) this.#work.push(this.#client(index, WRITE_EVERY_MS, this.#writer()));
    for (let index = 0; index < READERS; index++) this.#work.push(this.#client(index, READ_EVERY_MS, this.#reader()));
  }

  /** Ends the load when each client's last request has succeeded. */
  async finish() {
    this.#end = Math.min(this.#end, performance.now());
    await Promise.all(this.#work);
  }

  /** Ends the load; requests that have not succeeded are not repeated. */
  abandon() {
    this.#end = -Infinity;
  }

  async #client(index, everyMs, act) {
    await pause((index * everyMs) / WRITERS);
    while (this.#end === Infinity) {
      const next = performance.now() + everyMs;
      try {
        await act();
      } catch (error) {
        this.failures.push(error.message);
      }
      await pause(Math.max(0, next - performance.now()));
    }
  }

  #acknowledge(kind, request) {
    return this.requests.acknowledge(kind, request, () => performance.now() < this.#end + FINISH_MS);
  }

  #write(method, path, body, condition = {}) {
    const headers = { 'Idempotency-Key': `"${crypto.randomUUID()}"`, ...condition };
    return this.#acknowledge('write', { method, path, body, headers });
  }

  /** @returns the next act of a writer, in turn: mints, a batch, changes of its own identifiers. */
  #writer() {
    const own = [];
    let turn = 0;
    const acts = [this.#mint, this.#mint, this.#change, this.#batch, this.#mint, this.#change];
    return () => acts[turn++ % acts.length].call(this, own);
  }

  async #mint(own) {
    const target = nextTarget();
    const answer = await this.#write('POST', '/identifiers', { namingAuthority: NAMING_AUTHORITY, target });
    if (answer !== null) this.#minted(own, target, answer.body);
  }

  async #batch(own) {
    const items = Array.from({ length: BATCH_SIZE }, () => ({ target: nextTarget() }));
    const answer = await this.#write('POST', '/identifiers/batch', { namingAuthority: NAMING_AUTHORITY, items });
    for (const [index, item] of (answer?.body.items ?? []).entries())
      this.#minted(own, items[index].target, item.record);
  }

  #minted(own, target, { identifier }) {
    this.ledger.mint(target, identifier);
    own.push({ identifier, target, version: 1 });
    this.#known.push({ identifier, at: performance.now() });
  }

  async #change(own) {
    const record = own[Math.floor(Math.random() * own.length)];
    const { identifier } = record;
    const target = `${record.target}?change=${++operations}`;
    const condition = { 'If-Match': `"${record.version}"` };
    const answer = await this.#write('PATCH', `/identifiers/${identifier}`, { target }, condition);
    if (answer === null) return;
    record.version = answer.body.version;
    this.ledger.change(identifier, record.version, target);
  }

  /** @returns the next act of a reader: a look-up and a redirect in turn, of identifiers acknowledged before. */
  #reader() {
    let turn = 0;
    return async () => {
      const oldest = performance.now() - this.readAfterMs;
      const choices = this.#known.findLastIndex(({ at }) => at <= oldest) + 1;
      if (choices === 0) return;
      const { identifier } = this.#known[Math.floor(Math.random() * choices)];
      await this.#acknowledge('read', { path: turn++ % 2 === 0 ? `/identifiers/${identifier}` : `/${identifier}` });
    };
  }
}

const nextTarget = () => `https://objects.example.org/${++operations}`;
