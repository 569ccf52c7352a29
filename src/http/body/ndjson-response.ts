import { finished } from 'node:stream/promises';
import { problemOf } from '../../problem/send-problem.js';
import { Problem } from '../../problem/problem.js';
import { streamTurn } from './own-turn.js';
import { type CountedResult, StreamSummaryDto, streamEnd } from './stream-summary.dto.js';
import type { StreamedBody } from './streamed-body.js';

/** Time for which further input is discarded, so that the client can read the last result. */
const LINGER_MS = 2000;

export interface LinePipeline<T> {
  readonly path: string;
  readonly read: () => Promise<T | null>;
  /** @throws Problem UNAUTHENTICATED if the key is no longer valid. */
  readonly permit: () => Promise<void>;
  /** Commits a chunk and returns its results in pieces, each of which is created and serialized in one turn. */
  readonly work: (chunk: T) => Promise<AsyncIterable<Results> | Iterable<Results>>;
  readonly lastLine: (chunk: T) => number;
  /** Called once, however the stream ends; a chunk may still be in progress. */
  readonly end?: () => void;
  readonly log: StreamLog;
  readonly hasSummary: boolean;
}

type Results = readonly CountedResult[];

export interface StreamLog {
  readonly failed: (error: unknown) => void;
  readonly lineFailed: (error: unknown, line: number) => void;
}

/** Commits a chunk while the next one is read and the results of the previous one are sent. An error becomes the last line. */
export function respondInLines<T>(body: StreamedBody, steps: LinePipeline<T>): AsyncGenerator<Buffer> {
  return body.spool.through(linesOf(body, steps));
}

async function* linesOf<T>(body: StreamedBody, steps: LinePipeline<T>): AsyncGenerator<string> {
  let next = detached(steps.read());
  const work = async () => {
    const chunk = await next;
    if (chunk === null) return null;
    next = detached(steps.read());
    await steps.permit();
    return { chunk, results: await steps.work(chunk) };
  };
  let done = detached(work());
  let lines = 0;
  const summary = new StreamSummaryDto();
  try {
    for (;;) {
      const current = await done;
      if (current === null) break;
      done = detached(work());
      // Lets the next chunk reach the database before the results of this one are serialized.
      await streamTurn();
      for await (const results of current.results) {
        summary.count(results);
        yield results.map((result) => `${JSON.stringify(result)}\n`).join('');
        await streamTurn();
      }
      lines = steps.lastLine(current.chunk);
    }
    if (steps.hasSummary) yield `${JSON.stringify(summary)}\n`;
  } catch (error) {
    // A client can close the connection after it has sent the whole body, before the body is read.
    if (error === body.bytes.errored || (body.bytes.destroyed && !body.bytes.complete)) return;
    const problem = problemOf(error);
    steps.log.failed(error);
    yield `${JSON.stringify(streamEnd(problem, lines + 1, steps.path))}\n`;
    await finished(body.bytes.resume(), { signal: AbortSignal.timeout(LINGER_MS) }).catch(() => null);
  } finally {
    steps.end?.();
  }
}

/** Converts the error of a line to a problem. An unexpected error is also logged. */
export function lineProblem(error: unknown, line: number, log: StreamLog): Problem {
  if (!(error instanceof Problem)) log.lineFailed(error, line);
  return problemOf(error);
}

/** Prevents unhandled-rejection warnings; the caller still gets the rejection. */
function detached<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => null);
  return promise;
}
