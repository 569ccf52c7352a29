import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** A turn that takes this time or longer is followed by a pause of a tenth of the turn. */
const LONG_MS = 5;

let over: Promise<unknown> = Promise.resolve();

/** Resolves in a later turn of the event loop, for one caller in each turn. Work that takes many milliseconds awaits it first. */
export function ownTurn(): Promise<void> {
  const turn = over.then(() => nextTurn());
  over = turn.then(rest);
  return turn;
}

/** Without a pause, a new connection could wait for many long turns, because each turn accepts only one connection. */
async function rest(): Promise<void> {
  const since = performance.now();
  await nextTurn();
  const ms = performance.now() - since;
  if (ms >= LONG_MS) await pause(ms / 10);
}
