import { request } from 'node:http';
import { createReadStream, createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { AUTHORITY } from './rows.js';
import { residentMb } from './processes.js';

const NEWLINE = 10;
const MEMORY_INTERVAL_MS = 100;

/** Writes so many lines of mints with names that were never used. */
export async function writeMintLines(file, count) {
  const stream = createWriteStream(file);
  for (let n = 0; n < count; n++) {
    const unique = crypto.randomUUID().replaceAll('-', '').toUpperCase();
    const target = `https://repo.example.org/objects/${unique}`;
    const line = { namingAuthority: AUTHORITY, metadataId: `hdl:2000.01/${unique}`, target, clientRef: String(n) };
    if (!stream.write(`${JSON.stringify(line)}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
}

/**
 * Streams a file of lines into the bulk endpoint and reads what comes back.
 * @returns seconds in all, milliseconds to the first line, lines in the answer, how many of them are of an identifier that
 * was minted, and the greatest memory of the server above what it had.
 */
export async function sendBulk(server, file) {
  const idleMb = await residentMb(server.pid);
  let mostMb = idleMb;
  const watch = setInterval(async () => {
    mostMb = Math.max(mostMb, (await residentMb(server.pid)) ?? 0);
  }, MEMORY_INTERVAL_MS);
  try {
    const started = performance.now();
    const outgoing = request(`${server.url}/identifiers/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', 'idempotency-key': crypto.randomUUID() },
    });
    createReadStream(file, { highWaterMark: 65_536 }).pipe(outgoing);
    const [answer] = await once(outgoing, 'response');
    let [firstLineMs, lines, minted] = [undefined, 0, 0];
    let rest = '';
    for await (const chunk of answer) {
      if (firstLineMs === undefined && chunk.includes(NEWLINE)) firstLineMs = performance.now() - started;
      const texts = (rest + chunk.toString('latin1')).split('\n');
      rest = texts.pop();
      lines += texts.length;
      for (const text of texts) if (text.includes('"status":201')) minted++;
    }
    const seconds = (performance.now() - started) / 1000;
    return { status: answer.statusCode, seconds, firstLineMs, lines, minted, memoryAboveIdleMb: mostMb - idleMb };
  } finally {
    clearInterval(watch);
  }
}
