import { setTimeout as pause } from 'node:timers/promises';

/** A limit of time on this machine: `scripts/machine-factor.js` has measured how slow it is. */
export function limitMs(ms: number): number {
  return ms * Number(process.env.MACHINE_FACTOR ?? 1);
}

const INTERVAL_MS = 50;

/** A shorter delay of this process does not explain why a limit of seconds was exceeded. */
const STALL_MS = 500;

const MOST_ATTEMPTS = 3;

/**
 * Runs a measurement with limits of time. One that fails is run again, at most twice, if the machine stood still for half a second
 * or longer meanwhile: this process was late too. One that fails without a stall has failed.
 */
export async function undisturbed(measure: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const over = new AbortController();
    const longest = longestStall(over.signal);
    try {
      await measure();
      return;
    } catch (error) {
      over.abort();
      const ms = await longest;
      if (attempt === MOST_ATTEMPTS || ms < STALL_MS) throw error;
      process.stderr.write(`the machine stood still for ${Math.round(ms)} ms, so that a measurement is repeated\n`);
    } finally {
      over.abort();
    }
  }
}

/** @returns by how many milliseconds a timer was late at most. */
async function longestStall(over: AbortSignal): Promise<number> {
  let longest = 0;
  for (let last = performance.now(); !over.aborted;) {
    await pause(INTERVAL_MS);
    const now = performance.now();
    longest = Math.max(longest, now - last - INTERVAL_MS);
    last = now;
  }
  return longest;
}

/** Variables of a service whose limits of the database are not tested: a wait for a lock may take 20 s. */
export const PATIENT = { DATABASE_STATEMENT_TIMEOUT_MS: '60000', DATABASE_CONNECT_TIMEOUT_MS: '30000' };
