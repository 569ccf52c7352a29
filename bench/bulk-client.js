import { request } from 'node:http';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { AUTHORITY } from './rows.js';
import { residentMb } from './processes.js';

const NEWLINE = 10;
const PIECE_LENGTH = 65_536;
const MEMORY_INTERVAL_MS = 100;

/**
 * Lines of mints with new names, in pieces of many lines.
 * @param more returns further members of a line, given its unique text.
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
 * Sends lines to the bulk endpoint and reads the response.
 * @param options.onResult called with the text of each line of the response.
 * @param options.key the Idempotency-Key; null for none.
 * @param options.access an object with the header `authorization`; empty for a service with open access.
 * @returns the status, the total time in seconds, the time to the first line in milliseconds, the number of lines of the response,
 * the number of lines with the status 201, and the maximum memory of the server in MB.
 */
export async function sendBulk(server, lines, { onResult = () => {}, key = crypto.randomUUID(), access = {} } = {}) {
  let mostMb = 0;
  const watch = setInterval(async () => {
    mostMb = Math.max(mostMb, (await residentMb(server.pid)) ?? 0);
  }, MEMORY_INTERVAL_MS);
  try {
    const started = performance.now();
    const outgoing = request(`${server.url}/identifiers/bulk`, {
      method: 'POST',
      headers: { ...access, 'content-type': 'application/x-ndjson', ...(key !== null && { 'idempotency-key': key }) },
    });
    // A server may respond and close the connection before it has read the whole body.
    outgoing.on('error', () => {});
    Readable.from(lines).pipe(outgoing);
    const [response] = await once(outgoing, 'response');
    let [firstLineMs, received, minted] = [undefined, 0, 0];
    let rest = '';
    for await (const chunk of response) {
      if (firstLineMs === undefined && chunk.includes(NEWLINE)) firstLineMs = performance.now() - started;
      const texts = (rest + chunk.toString('latin1')).split('\n');
      rest = texts.pop();
      received += texts.length;
      for (const text of texts) {
        if (text.includes('"status":201')) minted++;
        onResult(text);
      }
    }
    const seconds = (performance.now() - started) / 1000;
    return {
      status: response.statusCode,
      seconds,
      firstLineMs,
      lines: received,
      minted,
      mostMb,
    };
  } finally {
    clearInterval(watch);
  }
}
