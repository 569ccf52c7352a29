import { type NextLines, type RawLine, tooLong } from './line-source.js';

/** Lines per transaction. The number is small, because the locks of a transaction delay other changes and later events. */
export const CHUNK_LINES = 100;

/** Maximum size of a chunk in bytes. A chunk is in memory until it is committed. */
const MAX_CHUNK_BYTES = 1_048_576;

/** Divides lines into chunks by their numbers alone, not by their arrival, so that a repeat of a stream has the same chunks. */
export function inChunks(read: NextLines): NextLines {
  const pending: RawLine[] = [];
  const bounded = withinChunks();
  let isOver = false;
  return async () => {
    for (;;) {
      const [first] = pending;
      if (first === undefined && isOver) return null;
      const last = first === undefined ? 0 : lastLineOf(first);
      const end = pending.findIndex(({ number }) => number > last);
      const isComplete = isOver || end >= 0 || pending.at(-1)?.number === last;
      if (first !== undefined && isComplete) return pending.splice(0, end < 0 ? pending.length : end);
      const more = await read();
      if (more === null) isOver = true;
      else pending.push(...more.map(bounded));
    }
  };
}

/** The number of the chunk that contains a line, counted from 0. */
export function partOf({ number }: Pick<RawLine, 'number'>): number {
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
