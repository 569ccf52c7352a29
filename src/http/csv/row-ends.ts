import { MAX_EXPORTED_BYTES } from '../body/line-reader.js';

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

/**
 * Returns a function that finds the end of a row (RFC 4180), as `LineReader` needs it: a line break behind an even number of quotation
 * marks, because each mark within a quoted cell is doubled. The bytes of marks and line breaks occur in no other character of UTF-8 and
 * Windows-1252.
 */
export function rowEnds(): (bytes: Buffer) => number {
  let isQuoted = false;
  let at = 0;
  const endAt = (end: number): number => {
    isQuoted = false;
    at = 0;
    return end;
  };
  return (bytes) => {
    for (; at < bytes.length; at += 1) {
      // A row that is too long is cut, so that its reader rejects it before more of it arrives.
      if (at > MAX_EXPORTED_BYTES) return endAt(at);
      const byte = bytes[at];
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (!isQuoted && byte === LF) return endAt(at);
      else if (!isQuoted && byte === CR) {
        // A line feed may follow in the next piece of the body.
        if (at + 1 === bytes.length) return -1;
        return endAt(bytes[at + 1] === LF ? at + 1 : at);
      }
    }
    return -1;
  };
}
