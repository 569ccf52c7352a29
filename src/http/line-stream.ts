import { setImmediate as nextTurn } from 'node:timers/promises';
import { problemDocument } from '../problem/problem-document.dto.js';
import { CATALOGUE } from '../problem/catalogue.js';
import { problemOf } from '../problem/problem.filter.js';
import type { StreamedBody } from './streamed-body.js';

/** For how long what still arrives is thrown away, so that the client can read its last answer. */
const LINGER_MS = 2000;

/** What an answer in lines is made of. */
export interface LineWork<T> {
  /** The path of the request. */
  readonly path: string;
  /** Reads and prepares what comes next; null at the end. */
  readonly read: () => Promise<T | null>;
  /** Does it durably; then gives the lines of the answer. */
  readonly work: (chunk: T) => Promise<AsyncIterable<string> | Iterable<string>>;
  /** The number of the last line of a chunk. */
  readonly lastLine: (chunk: T) => number;
  /** Takes note of an error that nobody foresaw. */
  readonly failed: (error: unknown) => void;
}

/**
 * Answers a body chunk by chunk. One chunk is worked on after the other, while the next one is read and prepared, and the
 * one before is answered, and nothing more: a slow reader of the answer holds the reading back. An error ends the answer
 * with a line of its own, and what was answered before is kept.
 */
export async function* answerInLines<T>(body: StreamedBody, steps: LineWork<T>): AsyncGenerator<string> {
  let next = quietly(steps.read());
  const work = async () => {
    const chunk = await next;
    if (chunk === null) return null;
    next = quietly(steps.read());
    return { chunk, lines: await steps.work(chunk) };
  };
  let done = quietly(work());
  let answered = 0;
  try {
    for (;;) {
      const current = await done;
      if (current === null) return;
      done = quietly(work());
      // What the next chunk asks of others is on its way before this one is written down.
      await nextTurn();
      yield* current.lines;
      answered = steps.lastLine(current.chunk);
    }
  } catch (error) {
    if (body.octets.destroyed && !body.octets.complete) return;
    const problem = problemOf(error);
    const { status } = CATALOGUE[problem.code];
    if (problem.code === 'INTERNAL_ERROR' || problem.code === 'DATABASE_UNAVAILABLE') steps.failed(error);
    yield `${JSON.stringify({ line: answered + 1, status, problem: problemDocument(problem, steps.path) })}\n`;
    await discard(body, LINGER_MS);
  }
}

/** What is thrown is thrown to who awaits it; until then nobody does. */
function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => null);
  return promise;
}

async function discard({ octets }: StreamedBody, forMs: number): Promise<void> {
  if (octets.readableEnded || octets.destroyed) return;
  octets.resume();
  await new Promise<void>((resolve) => {
    const limit = setTimeout(resolve, forMs);
    octets.once('close', () => {
      clearTimeout(limit);
      resolve();
    });
    octets.once('end', () => {
      clearTimeout(limit);
      resolve();
    });
  });
}
