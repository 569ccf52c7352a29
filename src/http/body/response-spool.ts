import type { ServerResponse } from 'node:http';

const MERGED_BYTES = 16_384;

/** Above this number of streams, chunks are small, because each stream has three of them in memory. */
const MANY_STREAMS = 16;

/**
 * Buffers responses that clients have not read yet, within one limit for the process. Without this buffer, a client that sends its
 * whole request first would deadlock with the service.
 */
export class ResponseSpool {
  bytes = 0;
  private streams = 0;
  private readonly waiting = new Set<() => void>();

  /** @param limit bytes of all streams together. */
  constructor(private readonly limit: number) {}

  get isCrowded(): boolean {
    return this.streams > MANY_STREAMS;
  }

  /** Counts a stream until its response closes. */
  enter(response: Pick<ServerResponse, 'once'>): void {
    this.streams += 1;
    response.once('close', () => {
      this.streams -= 1;
    });
  }

  /** Reads a source ahead of its consumer. Above the limit, reads it only if its stream buffers nothing, so that no stream stops. */
  async *through(source: AsyncIterable<string>): AsyncGenerator<Buffer, void, undefined> {
    const stream = new Spooled();
    const filling = this.fill(stream, source);
    // The consumer gets the error after the buffered pieces.
    filling.catch(() => null);
    try {
      for (;;) {
        const piece = stream.pieces.shift();
        if (piece !== undefined) {
          this.release(stream, piece.length);
          yield piece;
        } else if (stream.ended) break;
        else await stream.changed();
      }
      await filling;
    } finally {
      stream.close();
      this.release(stream, stream.bytes);
    }
  }

  private async fill(stream: Spooled, source: AsyncIterable<string>): Promise<void> {
    try {
      for await (const text of source) {
        if (stream.isClosed()) return;
        const piece = Buffer.from(text);
        this.bytes += piece.length;
        stream.add(piece);
        while (!stream.isClosed() && stream.bytes > 0 && this.bytes >= this.limit) await this.room();
        if (stream.isClosed()) return;
      }
    } finally {
      stream.end();
    }
  }

  private async room(): Promise<void> {
    await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  private release(stream: Spooled, bytes: number): void {
    stream.bytes -= bytes;
    this.bytes -= bytes;
    for (const wake of this.waiting) wake();
    this.waiting.clear();
  }
}

class Spooled {
  readonly pieces: Buffer[] = [];
  bytes = 0;
  ended = false;
  private closed = false;
  private wake: () => void = () => {};

  async changed(): Promise<void> {
    await new Promise<void>((resolve) => (this.wake = resolve));
  }

  add(piece: Buffer): void {
    this.bytes += piece.length;
    const last = this.pieces.at(-1);
    // A buffer for each short line would take more memory than the lines.
    if (last !== undefined && last.length + piece.length <= MERGED_BYTES) {
      this.pieces[this.pieces.length - 1] = Buffer.concat([last, piece]);
    } else this.pieces.push(piece);
    this.wake();
  }

  isClosed(): boolean {
    return this.closed;
  }

  close(): void {
    this.closed = true;
    this.pieces.length = 0;
  }

  end(): void {
    this.ended = true;
    this.wake();
  }
}
