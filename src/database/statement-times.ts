import type pg from 'pg';

type Send = (...parts: unknown[]) => unknown;

/** Times all statements of a session. @param ended is called with the seconds from sending a statement to its result. */
export function timeStatements(client: pg.PoolClient, ended: (seconds: number) => void): void {
  const send = client.query.bind(client) as Send;
  const timed: Send = (...parts) => {
    const began = performance.now();
    const end = (): void => {
      ended((performance.now() - began) / 1000);
    };
    const callback = parts.at(-1) as Send | undefined;
    // The pool passes a callback; all other callers use the promise.
    if (typeof callback === 'function') {
      return send(...parts.slice(0, -1), (...result: unknown[]) => {
        end();
        callback(...result);
      });
    }
    const result = send(...parts);
    if (result instanceof Promise) result.then(end, end);
    return result;
  };
  client.query = timed as typeof client.query;
}
