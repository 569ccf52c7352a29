import { setTimeout as pause } from 'node:timers/promises';
import { Problem } from '../problem/problem.js';

/** Milliseconds between attempts while another request uses the same idempotency key. */
const PAUSES_MS = [20, 40, 80, 160, 320, 640, 1280];

/** Whether a mint was refused because another request uses its Idempotency-Key at this moment. */
export function isInFlight(result: unknown): boolean {
  return result instanceof Problem && result.code === 'REQUEST_IN_FLIGHT';
}

/** Repeats an attempt while another request uses its key, after pauses, which hold neither a connection nor a place in a queue. */
export async function whileInFlight<T>(attempt: () => Promise<T>, isOpen: (result: T) => boolean): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    const result = await attempt();
    if (!isOpen(result)) return result;
    await pause(pauseMs);
  }
  return attempt();
}
