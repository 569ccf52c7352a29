import { setTimeout as pause } from 'node:timers/promises';

/**
 * Calls `probe` until it returns a value that is neither undefined nor false; its errors mean "not yet".
 * @throws Error with `what` after `limitMs`.
 */
export async function until(what, limitMs, probe, everyMs = 100) {
  const end = performance.now() + limitMs;
  let last;
  for (;;) {
    try {
      const value = await probe();
      if (value !== undefined && value !== false) return value;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (performance.now() > end) throw new Error(`waited ${limitMs / 1000} s in vain: ${what}`, { cause: last });
    await pause(everyMs);
  }
}
