import type { IncomingMessage } from 'node:http';

const LF = 0x0a;
const CR = 0x0d;

/** Octets of the shortest request head that Node's parser accepts: `GET /`, a line feed, and an empty line. */
const SHORTEST_HEAD = 7;

/**
 * The number of octets in which at most `most` (1 or more) request heads begin and end; estimated from empty lines.
 * @param octets received octets, from any position of a request.
 * @returns at least 1, at most all octets.
 */
export function lengthOfHeads(octets: Buffer, most: number): number {
  if (octets.length <= most * SHORTEST_HEAD) return octets.length;
  let length = 0;
  for (let heads = 0; heads < most; heads++) {
    const end = endOfEmptyLine(octets, length + SHORTEST_HEAD - 2);
    if (end < 0) return octets.length;
    length = end;
  }
  return length;
}

/** The offset behind the first empty line that follows a line feed at `from` or later; -1 when there is none. */
function endOfEmptyLine(octets: Buffer, from: number): number {
  for (let at = octets.indexOf(LF, from); at >= 0; at = octets.indexOf(LF, at + 1)) {
    const next = octets[at + 1] === CR ? at + 2 : at + 1;
    if (octets[next] === LF) return next + 1;
  }
  return -1;
}

/** The number of Host fields of a request; `headers` has the first one only. */
export function hostFieldsOf({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
