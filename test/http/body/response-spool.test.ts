import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ResponseSpool } from '../../../src/http/body/response-spool.js';

const PIECE = 'x'.repeat(20_000);

/** A source of pieces, with a count of those that were read. */
function endless(pieces = Infinity) {
  const source = {
    read: 0,
    closed: false,
    async *[Symbol.asyncIterator]() {
      try {
        while (source.read < pieces) {
          source.read += 1;
          await turn();
          yield PIECE;
        }
      } finally {
        source.closed = true;
      }
    },
  };
  return source;
}

async function settled(): Promise<void> {
  for (let i = 0; i < 200; i++) await turn();
}

describe('the spool of response bytes', () => {
  it('reads ahead of a client that does not read, up to the bound, and goes on when the client reads', async () => {
    const spool = new ResponseSpool(200_000);
    const source = endless();
    const stream = spool.through(source);
    await stream.next();
    await settled();
    expect([spool.bytes, source.read]).toEqual([200_000, 11]);
    for (let i = 0; i < 5; i++) await stream.next();
    await settled();
    expect([spool.bytes, source.read]).toEqual([200_000, 16]);
    await stream.return(undefined);
  });

  it('has one bound for all streams, above which a stream with an empty buffer continues', async () => {
    const spool = new ResponseSpool(200_000);
    const holding = spool.through(endless());
    await holding.next();
    await settled();
    const source = endless(50);
    let pieces = 0;
    for await (const piece of spool.through(source)) {
      pieces += 1;
      await settled();
      expect(piece.toString()).toBe(PIECE);
      // The other stream may use the released space; this one has at most one piece beyond the limit.
      expect(spool.bytes).toBeLessThanOrEqual(220_000);
    }
    expect(pieces).toBe(50);
    await holding.return(undefined);
  });

  it('releases the buffer of a stream when its client disconnects, and ends its source', async () => {
    const spool = new ResponseSpool(200_000);
    const [one, other] = [endless(), endless()];
    const [first, second] = [spool.through(one), spool.through(other)];
    await first.next();
    await settled();
    await second.next();
    await settled();
    const before = other.read;
    await first.return(undefined);
    await settled();
    expect(one.closed).toBe(true);
    expect(other.read).toBeGreaterThan(before);
    await second.return(undefined);
    await settled();
    expect([spool.bytes, other.closed]).toEqual([0, true]);
  });

  it('returns what was read before an error, and then the error', async () => {
    const spool = new ResponseSpool(200_000);
    async function* failing() {
      await turn();
      yield PIECE;
      yield PIECE;
      throw new Error('the source failed');
    }
    const stream = spool.through(failing());
    await settled();
    expect((await stream.next()).value?.length).toBe(20_000);
    await settled();
    expect((await stream.next()).value?.length).toBe(20_000);
    await expect(stream.next()).rejects.toThrow('the source failed');
    expect(spool.bytes).toBe(0);
  });

  it('merges short pieces that wait', async () => {
    const spool = new ResponseSpool(200_000);
    const text = Array.from({ length: 2000 }, (_, n) => `line ${n}\n`);
    const stream = spool.through(
      (async function* () {
        for (const line of text) yield await Promise.resolve(line);
      })(),
    );
    const first = await stream.next();
    await settled();
    const rest: Buffer[] = [];
    for await (const piece of stream) rest.push(piece);
    expect(rest.length).toBeLessThan(5);
    expect(Buffer.concat([first.value as Buffer, ...rest]).toString()).toBe(text.join(''));
  });

  it('with a bound of 0 reads one piece ahead', async () => {
    const spool = new ResponseSpool(0);
    const source = endless();
    const stream = spool.through(source);
    await stream.next();
    await settled();
    expect(source.read).toBe(2);
    await stream.return(undefined);
  });
});

describe('many streams', () => {
  it('are crowded from the 17th on, until one ends', () => {
    const spool = new ResponseSpool(1);
    const responses = Array.from({ length: 17 }, () => new EventEmitter());
    const crowded = responses.map((response) => {
      spool.enter(response as never);
      return spool.isCrowded;
    });
    expect(crowded).toEqual([...Array<boolean>(16).fill(false), true]);
    responses[5]!.emit('close');
    expect(spool.isCrowded).toBe(false);
  });
});
