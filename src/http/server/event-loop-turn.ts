let isCounting = false;
let atEnd: (() => unknown)[] = [];
let runsOfTurn = 0;
let runsOfLastTurn = 0;

/**
 * Runs a function at the end of this turn of the event loop. The first function of a turn runs at once if the previous turn had at most
 * one, because with one connection, waiting would only cost time. The function must not throw.
 */
export function atEndOfTurn(run: () => unknown): void {
  runsOfTurn += 1;
  endLater();
  if (runsOfTurn === 1 && runsOfLastTurn <= 1) run();
  else atEnd.push(run);
}

function endLater(): void {
  if (isCounting) return;
  isCounting = true;
  setImmediate(() => {
    isCounting = false;
    runsOfLastTurn = runsOfTurn;
    runsOfTurn = 0;
    const runs = atEnd;
    atEnd = [];
    for (const run of runs) run();
  });
}
