import type pg from 'pg';

type Send = (...parts: unknown[]) => unknown;

/** A session with members of `pg.Client` that its types do not declare. */
interface Session {
  query: Send;
  readonly connection: { readonly stream: { destroy(error: Error): void } };
}

/** The message of `pg` for a statement without a response. */
const NO_RESPONSE = 'Query read timeout';

/**
 * Times and limits all statements of a session. With the option `query_timeout`, `pg` sets a timer for each statement; V8 then moves a
 * tenth of what requests allocate to the old generation, which takes 20 % of the processor time of a look-up. Here, one timer serves many
 * statements.
 * @param ended is called with the seconds from sending a statement to its result.
 * @param limitMs maximum time of a statement without a `query_timeout` of its own. A statement that takes longer closes the session.
 */
export function timeStatements(client: pg.PoolClient, ended: (seconds: number) => void, limitMs = Infinity): void {
  const session = client as unknown as Session;
  const send = session.query.bind(client);
  let running = 0;
  /** When the first of the running statements was sent, or the statement before it ended. */
  let since = 0;
  let timer: NodeJS.Timeout | null = null;
  const check = (): void => {
    timer = null;
    if (running === 0) return;
    const leftMs = since + limitMs - performance.now();
    if (leftMs > 0) timer = setTimeout(check, leftMs).unref();
    else session.connection.stream.destroy(new Error(NO_RESPONSE));
  };
  session.query = (...parts) => {
    const began = performance.now();
    const isLimited = limitMs < Infinity && (parts[0] as { query_timeout?: number }).query_timeout === undefined;
    if (isLimited) {
      if (running === 0) since = began;
      running += 1;
      timer ??= setTimeout(check, limitMs).unref();
    }
    const end = (): void => {
      const now = performance.now();
      if (isLimited) {
        running -= 1;
        since = now;
      }
      ended((now - began) / 1000);
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
}
