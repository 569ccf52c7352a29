import { type IncomingMessage, ServerResponse } from 'node:http';
import { atEndOfTurn, currentTurn, isCurrent } from './event-loop-turn.js';

/**
 * Ends the responses that need no database at the end of the turn of the event loop in which they began, so that they are written together.
 * A write must wake a client or proxy on the same machine that sleeps, but those that follow at once find it awake: with 64 connections,
 * `GET /health/live` takes 30 µs of processor time instead of 48 µs, and with one connection 50 µs as before. Other responses are ended at
 * once: together, they would cause their clients to send the next requests together, which makes mints and look-ups a tenth slower.
 */
export class BurstResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  private readonly began = currentTurn();

  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    const end = () => super.end(chunk, encoding as BufferEncoding, callback as () => void);
    if (!isCurrent(this.began)) return end();
    atEndOfTurn(end);
    return this;
  }
}
