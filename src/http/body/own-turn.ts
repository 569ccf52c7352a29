import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** A turn that takes this time or longer is followed by a pause of a tenth of the turn. */
const LONG_MS = 5;

/** Maximum time of a slice. It is shorter than a long turn, because pauses would slow down a single stream. */
const SLICE_MS = 3;

type Lane = (() => void)[];

const requests: Lane = [];
const streams: Lane = [];
let isRunning = false;

/** Resolves in a later turn of the event loop, for one caller in each turn. Work that takes many milliseconds awaits it first. */
export function ownTurn(): Promise<void> {
  return turnIn(requests);
}

/** As `ownTurn`, for the work of streams. After each turn of a stream, all requests that wait get their turns. */
export function streamTurn(): Promise<void> {
  return turnIn(streams);
}

/** Processes the items of a stream in order, in separate turns of the event loop of a few milliseconds each. */
export async function inOwnTurns<T, R>(items: Iterable<T>, work: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  let end = 0;
  for (const item of items) {
    if (performance.now() >= end) {
      await streamTurn();
      end = performance.now() + SLICE_MS;
    }
    results.push(work(item));
  }
  return results;
}

function turnIn(lane: Lane): Promise<void> {
  return new Promise((resolve) => {
    lane.push(resolve);
    if (!isRunning) void run();
  });
}

async function run(): Promise<void> {
  isRunning = true;
  for (;;) {
    const round = [...requests.splice(0), ...streams.splice(0, 1)];
    if (round.length === 0) break;
    for (const begin of round) {
      await nextTurn();
      begin();
      await rest();
    }
  }
  isRunning = false;
}

/** Without a pause, a new connection could wait for many long turns, because each turn accepts only one connection. */
async function rest(): Promise<void> {
  const since = performance.now();
  await nextTurn();
  const ms = performance.now() - since;
  if (ms >= LONG_MS) await pause(ms / 10);
}
