import { Problem } from '../../problem/problem.js';
import type { NextLines, RawLine } from './line-source.js';

/** Lines per transaction. The number is small, because the locks of a transaction delay other changes and later events. */
export const CHUNK_LINES = 100;

/** Maximum bytes of a chunk with several lines. A chunk is in memory until it is committed. */
const MAX_CHUNK_BYTES = 1_048_576;

/** Problems of the file itself. After any other problem, such as a stop of the service, the client sends the same file again. */
const FAULTS: ReadonlySet<string> = new Set(['INVALID_REQUEST', 'BODY_TOO_LARGE']);

export interface Chunk {
  /** The numbers of the first and last line of the chunk's group of `CHUNK_LINES` lines. Long lines divide a group into several chunks. */
  readonly range: { readonly first: number; readonly last: number };
  /** Whether it is the first chunk of the stream. */
  readonly isFirst: boolean;
  readonly lines: readonly RawLine[];
}

/**
 * Divides lines into chunks by their numbers and sizes, not by their arrival. A chunk has only lines of one range, so that a repeat of a
 * stream finds the results. The lines before a fault of the file form a chunk; the next call throws the fault.
 */
export function inChunks(read: NextLines): () => Promise<Chunk | null> {
  const pending: RawLine[] = [];
  let isFirst = true;
  let isOver = false;
  let failure: Problem | null = null;
  return async () => {
    for (;;) {
      const [first] = pending;
      if (first === undefined && failure !== null) throw failure;
      if (first === undefined && isOver) return null;
      const last = first === undefined ? 0 : lastLineOf(first);
      const end = endOf(pending, last);
      const isComplete = end < pending.length || pending.at(-1)?.number === last;
      if (first !== undefined && (isComplete || isOver || failure !== null)) {
        const chunk = { range: { first: last - CHUNK_LINES + 1, last }, isFirst, lines: pending.splice(0, end) };
        isFirst = false;
        return chunk;
      }
      try {
        const more = await read();
        if (more === null) isOver = true;
        else pending.push(...more);
      } catch (error) {
        if (!(error instanceof Problem) || !FAULTS.has(error.code)) throw error;
        failure = error;
      }
    }
  };
}

function lastLineOf({ number }: RawLine): number {
  return Math.ceil(number / CHUNK_LINES) * CHUNK_LINES;
}

/** How many of the lines form the first chunk, in which no line has a number above `last`. */
function endOf(lines: readonly RawLine[], last: number): number {
  let bytes = 0;
  const end = lines.findIndex((line, at) => {
    bytes += line.bytes;
    return line.number > last || (at > 0 && bytes > MAX_CHUNK_BYTES);
  });
  return end < 0 ? lines.length : end;
}
