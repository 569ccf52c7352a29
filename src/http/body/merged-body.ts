import { type Readable, Transform, type TransformCallback } from 'node:stream';

const BLOCK_BYTES = 16_384;

/**
 * Merges a body into few pieces. A client can send each byte as a chunk (RFC 9112 7.1), and a buffer for each byte takes hundreds of times
 * the memory of the byte.
 */
export class MergedBody extends Transform {
  private block = Buffer.allocUnsafe(BLOCK_BYTES);
  private used = 0;
  private total = 0;

  /**
   * @param count receives the number of bytes so far. An error that it throws ends the stream.
   * @param admit delays the end of the stream until the body may be parsed. An error also ends the stream.
   */
  constructor(
    source: Readable,
    private readonly count: (bytes: number) => void,
    private readonly admit: () => Promise<void>,
  ) {
    super();
    // A body that nobody reads has no other listener, and an error without a listener would end the process.
    this.on('error', () => {});
    source.once('error', (error) => this.destroy(error)).pipe(this);
  }

  override _transform(bytes: Buffer, _encoding: string, done: TransformCallback): void {
    this.total += bytes.length;
    try {
      this.count(this.total);
    } catch (error) {
      done(error as Error);
      return;
    }
    for (let at = 0; at < bytes.length;) {
      const copied = bytes.copy(this.block, this.used, at);
      at += copied;
      this.used += copied;
      if (this.used === BLOCK_BYTES) this.pushBlock();
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    this.pushBlock();
    this.admit().then(() => {
      done();
    }, done);
  }

  private pushBlock(): void {
    this.push(this.block.subarray(0, this.used));
    this.block = Buffer.allocUnsafe(BLOCK_BYTES);
    this.used = 0;
  }
}
