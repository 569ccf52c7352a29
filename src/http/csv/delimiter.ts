import type { IncomingMessage } from 'node:http';
import { shuttingDown } from '../body/streamed-body.js';

/** Names of columns have fewer octets, so the first delimiter or line break is among these. */
const MAX_FIRST_CELL = 1024;

const DELIMITERS = [',', ';', '\t'] as const;

export interface FileStart {
  readonly octets: Buffer;
  readonly delimiter: (typeof DELIMITERS)[number];
}

/**
 * Reads a CSV file up to the first delimiter or line break.
 * @throws Problem SHUTTING_DOWN when `giveUp` was aborted.
 */
export async function readStart(body: IncomingMessage, giveUp: AbortSignal): Promise<FileStart> {
  let octets: Buffer = Buffer.alloc(0);
  for (;;) {
    const chunk = body.read() as Buffer | null;
    if (chunk === null) {
      if (body.readableEnded || body.destroyed) break;
      if (giveUp.aborted) throw shuttingDown();
      await changed(body, giveUp);
      continue;
    }
    octets = octets.length === 0 ? chunk : Buffer.concat([octets, chunk]);
    if (octets.length >= MAX_FIRST_CELL || firstCellEnd(octets) !== null) break;
  }
  const end = firstCellEnd(octets);
  return { octets, delimiter: DELIMITERS.find((delimiter) => delimiter === end) ?? ',' };
}

/** The character after the first cell; null where the cell continues. Empty lines may precede it. */
function firstCellEnd(octets: Buffer): string | null {
  const text = octets.toString('latin1', 0, MAX_FIRST_CELL);
  return /[^\r\n,;\t]([,;\t\r\n])/.exec(text)?.[1] ?? null;
}

/** Waits until more of a body can be read, or its end. */
async function changed(body: IncomingMessage, giveUp: AbortSignal): Promise<void> {
  const events = ['readable', 'end', 'close', 'error'] as const;
  let stop: () => void = () => {};
  await new Promise<void>((resolve) => {
    stop = resolve;
    for (const event of events) body.on(event, stop);
    giveUp.addEventListener('abort', stop);
  });
  for (const event of events) body.off(event, stop);
  giveUp.removeEventListener('abort', stop);
}
