import { Problem } from '../../problem/problem.js';
import { streamTurn } from './own-turn.js';
import { SILENCE_AFTER_STOP_MS, type StreamedBody, shuttingDown } from './streamed-body.js';

/** Maximum bytes of a line of NDJSON to mint or to change. */
export const MAX_LINE_BYTES = 65_536;

/** Maximum bytes of a line of an import or a row of CSV: more than the longest line of an export, with all escapes and doubled quotes. */
export const MAX_EXPORTED_BYTES = 262_144;

/** Bytes after which `next` returns. A stream has three such parts in memory, and many streams can be waiting for slow clients. */
const MAX_PART_BYTES = 65_536;

const MAX_CROWDED_BYTES = 16_384;

/** A longer line is copied, so that the bytes that arrived with it do not stay in memory. */
const MAX_SHARED_BYTES = 16_384;

const NEWLINE = 0x0a;

export interface Line {
  /** The number of the line, or of the row of a CSV, counted from 1. Blank lines count. */
  readonly number: number;
  /** The content without the line feed; null for a line that is too long. */
  readonly bytes: Buffer | null;
}

/** Returns, for bytes from the start of a line, the offset of the last byte of the line break; -1 if the line continues. */
type EndIn = (bytes: Buffer) => number;

/** Reads the lines of a body as they arrive, with back-pressure. */
export class LineReader {
  private rest: Buffer = Buffer.alloc(0);
  private number = 0;
  private overlong = false;
  private over = false;

  /** @param maxBytes maximum bytes of a line. */
  constructor(
    private readonly body: StreamedBody,
    readonly maxBytes: number,
    private readonly endIn: EndIn = (bytes) => bytes.indexOf(NEWLINE),
  ) {
    // The next call of `next` throws the error. Without a listener, the error would end the process.
    body.bytes.on('error', () => {});
  }

  /** Up to `most` lines that are not blank; null at the end. @throws Problem SHUTTING_DOWN or REQUEST_TIMEOUT, or a connection error. */
  async next(most: number): Promise<Line[] | null> {
    this.body.requireTime();
    // A part can have 65,536 blank lines, so cutting lines waits for a turn of the event loop.
    if (this.rest.length > 0 || this.body.bytes.readableLength > 0) await streamTurn();
    const mostBytes = this.body.spool.isCrowded ? MAX_CROWDED_BYTES : MAX_PART_BYTES;
    const lines: Line[] = [];
    let bytes = 0;
    let waited = false;
    const take = (line: Line): void => {
      bytes += line.bytes?.length ?? 0;
      if (line.bytes === null || !isBlank(line.bytes)) lines.push(line);
    };
    for (;;) {
      while (lines.length < most && bytes < mostBytes) {
        const line = this.cut();
        if (line === null) break;
        take(line);
      }
      if (lines.length === most || bytes >= mostBytes) return lines;
      if (this.over) return lines.length > 0 ? lines : null;
      const arrived = this.body.bytes.read() as Buffer | null;
      if (arrived !== null) {
        this.add(arrived);
        waited = false;
      } else if (this.body.bytes.readableEnded) {
        this.over = true;
        const line = this.finish();
        if (line !== null) take(line);
      } else if (lines.length === 0) {
        await this.more();
        await streamTurn();
      } else if (waited) return lines;
      else {
        waited = true;
        await streamTurn();
      }
    }
  }

  private add(bytes: Buffer): void {
    if (this.overlong) {
      const end = bytes.indexOf(NEWLINE);
      if (end < 0) return;
      this.rest = bytes.subarray(end);
    } else this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
  }

  private cut(): Line | null {
    const end = this.endIn(this.rest);
    if (end < 0) {
      if (this.rest.length > this.maxBytes) {
        this.overlong = true;
        this.rest = Buffer.alloc(0);
      }
      return null;
    }
    const line = this.rest.subarray(0, end);
    this.rest = this.rest.subarray(end + 1);
    return this.lineOf(line);
  }

  private finish(): Line | null {
    if (this.rest.length === 0 && !this.overlong) return null;
    const line = this.rest;
    this.rest = Buffer.alloc(0);
    return this.lineOf(line);
  }

  private lineOf(bytes: Buffer): Line {
    this.number += 1;
    const overlong = this.overlong || bytes.length > this.maxBytes;
    this.overlong = false;
    const kept = bytes.length > MAX_SHARED_BYTES ? Buffer.from(bytes) : bytes;
    return { number: this.number, bytes: overlong ? null : kept };
  }

  private async more(): Promise<void> {
    const { bytes, drain } = this.body;
    if (bytes.errored) throw bytes.errored;
    if (bytes.destroyed) throw new Error('the client closed the connection');
    await new Promise<void>((resolve, reject) => {
      const settle = (work: () => void) => () => {
        for (const [event, listener] of listeners) bytes.off(event, listener);
        drain.stopping.removeEventListener('abort', onStop);
        drain.halfOver.removeEventListener('abort', giveUp);
        clearTimeout(silence);
        work();
      };
      const broken = settle(() => {
        reject(bytes.errored ?? new Error('the client closed the connection'));
      });
      const arrived = settle(resolve);
      const silent = settle(() => {
        const detail =
          'The request body stalled for too long. Results that were returned are stored; send the whole file again with the same Idempotency-Key, or without a key the lines that have no result.';
        reject(new Problem('REQUEST_TIMEOUT', detail));
      });
      const giveUp = settle(() => {
        reject(shuttingDown());
      });
      let silence: NodeJS.Timeout | undefined;
      const onStop = () => {
        silence = setTimeout(giveUp, SILENCE_AFTER_STOP_MS);
      };
      const listeners = [
        ['readable', arrived],
        ['end', arrived],
        ['error', broken],
        ['close', broken],
        ['timeout', silent],
      ] as const;
      for (const [event, listener] of listeners) bytes.on(event, listener);
      if (drain.stopping.aborted) onStop();
      else drain.stopping.addEventListener('abort', onStop);
      drain.halfOver.addEventListener('abort', giveUp);
    });
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
