import { request } from 'node:http';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { AUTHORITY } from './rows.js';
import { residentMb } from './processes.js';

const NEWLINE = 10;
const PIECE_LENGTH = 65_536;
const MEMORY_INTERVAL_MS = 100;

/**
 * Lines of mints with names that were never used, in pieces of many lines.
 * @param more adds members of its own to a line, given the line's unique text.
 */
export function* mintLines(count, more = () => ({})) {
  let piece = '';
  for (let n = 0; n < count; n++) {
    const unique = crypto.randomUUID().replaceAll('-', '').toUpperCase();
    const names = { metadataId: `hdl:2000.01/${unique}`, target: `https://repo.example.org/objects/${unique}` };
    piece += `${JSON.stringify({ namingAuthority: AUTHORITY, ...names, clientRef: String(n), ...more(unique) })}\n`;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/**
 * Streams lines into the bulk endpoint and reads what comes back.
 * @param options.onResult called with the text of each line of the response.
 * @param options.key the Idempotency-Key; null for none.
 * @returns seconds in all, milliseconds to the first line, lines in the answer, how many of them are of an identifier that
 * was minted, and the greatest memory of the server in MB.
 */
export async function sendBulk(server, lines, { onResult = () => {}, key = crypto.randomUUID() } = {}) {
  let mostMb = 0;
  const watch = setInterval(async () => {
    mostMb = Math.max(mostMb, (await residentMb(server.pid)) ?? 0);
  }, MEMORY_INTERVAL_MS);
  try {
    const started = performance.now();
    const outgoing = request(`${server.url}/identifiers/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', ...(key !== null && { 'idempotency-key': key }) },
    });
    // A server that refuses early may close before it has read everything; what it answered tells why.
    outgoing.on('error', () => {});
    Readable.from(lines).pipe(outgoing);
    const [answer] = await once(outgoing, 'response');
    let [firstLineMs, answered, minted] = [undefined, 0, 0];
    let rest = '';
    for await (const chunk of answer) {
      if (firstLineMs === undefined && chunk.includes(NEWLINE)) firstLineMs = performance.now() - started;
      const texts = (rest + chunk.toString('latin1')).split('\n');
      rest = texts.pop();
      answered += texts.length;
      for (const text of texts) {
        if (text.includes('"status":201')) minted++;
        onResult(text);
      }
    }
    const seconds = (performance.now() - started) / 1000;
    return {
      status: answer.statusCode,
      seconds,
      firstLineMs,
      lines: answered,
      minted,
      mostMb,
    };
  } finally {
    clearInterval(watch);
  }
}
