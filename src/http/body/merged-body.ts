import { Readable } from 'node:stream';

const MERGED_BYTES = 16_384;

/**
 * Merges a body into few pieces. A client can send each byte as a chunk (RFC 9112 7.1), and a buffer for each byte takes hundreds of times
 * the memory of the byte.
 */
export class MergedBody extends Readable {
  private merged: Buffer | null = null;
  private length = 0;
  private total = 0;
  private isReading = false;

  /**
   * @param count receives the number of bytes so far. An error that it throws ends the stream.
   * @param admit delays the end of the stream until the body may be parsed. An error also ends the stream.
   */
  constructor(
    private readonly source: Readable,
    private readonly count: (bytes: number) => void,
    private readonly admit: () => Promise<void>,
  ) {
    super();
    // A body that nobody reads has no other listener, and an error without a listener would end the process.
    this.on('error', () => {});
    source.once('error', (error) => this.destroy(error));
    source.once('end', () => {
      this.flush();
      if (this.destroyed) return;
      this.admit().then(
        () => this.push(null),
        (error: unknown) => this.destroy(error as Error),
      );
    });
  }

  override _read(): void {
    if (!this.isReading) this.source.on('data', this.add);
    this.isReading = true;
    this.source.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.source.off('data', this.add);
    done(error);
  }

  private readonly add = (chunk: Buffer): void => {
    const isSmall = chunk.length <= MERGED_BYTES / 2;
    if (!isSmall || this.length + chunk.length > MERGED_BYTES) this.flush();
    if (!isSmall) {
      this.pass(chunk);
      return;
    }
    this.merged ??= Buffer.allocUnsafe(MERGED_BYTES);
    this.length += chunk.copy(this.merged, this.length);
  };

  private flush(): void {
    if (this.merged === null || this.length === 0) return;
    const piece = Buffer.from(this.merged.subarray(0, this.length));
    this.length = 0;
    this.pass(piece);
  }

  private pass(piece: Buffer): void {
    if (this.destroyed) return;
    this.total += piece.length;
    try {
      this.count(this.total);
    } catch (error) {
      this.destroy(error as Error);
      return;
    }
    if (!this.push(piece)) this.source.pause();
  }
}
