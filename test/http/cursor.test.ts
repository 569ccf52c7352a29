import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CursorKind, Cursors } from '../../src/http/cursor.js';
import { Problem } from '../../src/problem/problem.js';

const KINDS: CursorKind[] = ['identifiers', 'naming authorities', 'api keys', 'events', 'history'];

function cursorsOf(secret: Buffer): Cursors {
  const cursors = new Cursors();
  cursors.useSecret(secret);
  return cursors;
}

const SECRET = randomBytes(32);
const cursors = cursorsOf(SECRET);
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

describe('a cursor', () => {
  it('is read back, by every instance that has the secret', () => {
    const other = cursorsOf(SECRET);
    fc.assert(
      fc.property(
        fc.constantFrom(...KINDS),
        fc.array(int64, { maxLength: 3 }),
        fc.string({ unit: 'grapheme' }),
        fc.boolean(),
        (kind, numbers, text, isUnlinkable) => {
          const cursor = cursors.write(kind, [...numbers, text], isUnlinkable);
          expect(other.read(kind, numbers.length, cursor)).toEqual({ numbers, text });
          expect(other.write(kind, [...numbers, text]) === cursor).toBe(!isUnlinkable);
        },
      ),
    );
  });

  it('shows nothing of its numbers, not even how large they are', () => {
    const texts = [0n, 1n, 2n ** 62n].map((number) => cursors.write('events', [number, number]));
    expect(new Set(texts.map(({ length }) => length)).size).toBe(1);
    // The bytes of adjacent positions differ as random texts do: in 255 of 256 on average.
    const [zero, one] = texts.map((text) => Buffer.from(text, 'base64url'));
    const same = zero!.filter((byte, index) => byte === one![index]).length;
    expect(same).toBeLessThan(zero!.length / 4);
  });

  it('is rejected once any bit of it is altered, under another secret, and for another list', () => {
    const cursor = cursors.write('events', [1_234_567n, 89n]);
    const bytes = Buffer.from(cursor, 'base64url');
    const altered = Array.from({ length: bytes.length * 8 }, (_, bit) => {
      const copy = Buffer.from(bytes);
      copy[bit >> 3]! ^= 1 << (bit & 7);
      return copy.toString('base64url');
    });
    const rejected = [...altered, cursor.slice(0, -1), `${cursor}A`, `${cursor}=`, ` ${cursor}`, `${cursor}!`, '', 'x'];
    for (const text of rejected) expect(() => cursors.read('events', 2, text)).toThrow(Problem);
    expect(() => cursorsOf(randomBytes(32)).read('events', 2, cursor)).toThrow('INVALID_CURSOR');
    for (const kind of KINDS.filter((each) => each !== 'events')) {
      expect(() => cursors.read(kind, 2, cursor)).toThrow('INVALID_CURSOR');
    }
  });

  it('of the longest naming authority is as long as a query may have it', () => {
    expect(cursors.write('naming authorities', ['é'.repeat(127) + 'a']).length).toBeLessThanOrEqual(512);
  });
});
