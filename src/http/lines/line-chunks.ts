import { Problem } from '../../problem/problem.js';
import { type NextLines, type RawLine, tooLong } from './line-source.js';

/** Lines per transaction. The number is small, because the locks of a transaction delay other changes and later events. */
export const CHUNK_LINES = 100;

/** Maximum size of a chunk in bytes. A chunk is in memory until it is committed. */
const MAX_CHUNK_BYTES = 1_048_576;

/** Problems of the file itself. After any other one, such as a stop of the service, the client sends the same file again. */
const FAULTS: ReadonlySet<string> = new Set(['INVALID_REQUEST', 'BODY_TOO_LARGE']);

export interface Chunk {
  /** The first and the last line that the chunk can have. */
  readonly range: { readonly first: number; readonly last: number };
  readonly lines: readonly RawLine[];
}

/**
 * Divides lines into chunks by their numbers alone, not by their arrival, so that a repeat of a stream has the same chunks. The lines
 * before a fault of the file are a chunk too; the next call throws the fault.
 */
export function inChunks(read: NextLines): () => Promise<Chunk | null> {
  const pending: RawLine[] = [];
  const bounded = withinChunks();
  let isOver = false;
  let failure: Problem | null = null;
  return async () => {
    for (;;) {
      const [first] = pending;
      if (first === undefined && failure !== null) throw failure;
      if (first === undefined && isOver) return null;
      const last = first === undefined ? 0 : lastLineOf(first);
      const end = pending.findIndex(({ number }) => number > last);
      const isComplete = end >= 0 || pending.at(-1)?.number === last;
      if (first !== undefined && (isComplete || isOver || failure !== null)) {
        const lines = pending.splice(0, end < 0 ? pending.length : end);
        return { range: { first: last - CHUNK_LINES + 1, last }, lines };
      }
      try {
        const more = await read();
        if (more === null) isOver = true;
        else pending.push(...more.map(bounded));
      } catch (error) {
        if (!(error instanceof Problem) || !FAULTS.has(error.code)) throw error;
        failure = error;
      }
    }
  };
}

function partOf({ number }: Pick<RawLine, 'number'>): number {
  return Math.floor((number - 1) / CHUNK_LINES);
}

function lastLineOf(line: Pick<RawLine, 'number'>): number {
  return (partOf(line) + 1) * CHUNK_LINES;
}

/** Replaces lines beyond the size limit of their chunk, so that they are not kept in memory. */
function withinChunks(): (line: RawLine) => RawLine {
  let part = -1;
  let bytes = 0;
  return (line) => {
    if (partOf(line) !== part) [part, bytes] = [partOf(line), 0];
    bytes += line.bytes;
    if (bytes <= MAX_CHUNK_BYTES) return line;
    const { number } = line;
    const detail = `The lines ${part * CHUNK_LINES + 1} to ${number} have more than ${MAX_CHUNK_BYTES} bytes together. Send this line in another request.`;
    return { number, bytes: 0, value: () => tooLong(detail), content: () => detail };
  };
}
