let turn = 1;
let isCounting = false;
let atEnd: (() => unknown)[] = [];

/** The number of the current turn of the event loop. */
export function currentTurn(): number {
  endLater();
  return turn;
}

/** Runs a function after the other callbacks of this turn of the event loop. It must not throw. */
export function atEndOfTurn(run: () => unknown): void {
  atEnd.push(run);
  endLater();
}

function endLater(): void {
  if (isCounting) return;
  isCounting = true;
  setImmediate(() => {
    isCounting = false;
    turn += 1;
    const runs = atEnd;
    atEnd = [];
    for (const run of runs) run();
  });
}
