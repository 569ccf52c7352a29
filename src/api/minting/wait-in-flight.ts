import { setTimeout as pause } from 'node:timers/promises';
import { Problem } from '../../problem/problem.js';

/** Pauses between attempts while another request uses the same idempotency key, in milliseconds. */
const PAUSES_MS = [20, 40, 80, 160, 320, 640, 1280];

/** Whether a mint was refused because another request uses its Idempotency-Key at this moment. */
export function isInFlight(result: unknown): boolean {
  return result instanceof Problem && result.code === 'REQUEST_IN_FLIGHT';
}

/**
 * Repeats an attempt while another request uses the key: its result is then the response. The pauses hold neither a
 * connection nor a place in a queue.
 * @param attempt a mint, or the mints of a chunk.
 * @param isOver whether its result is final.
 */
export async function waitInFlight<T>(attempt: () => Promise<T>, isOver: (result: T) => boolean): Promise<T> {
  let result = await attempt();
  for (const forMs of PAUSES_MS) {
    if (isOver(result)) break;
    await pause(forMs);
    result = await attempt();
  }
  return result;
}
