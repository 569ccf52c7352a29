import { describe, expect, it } from '@jest/globals';
import { lengthOfHeads } from '../../../src/http/server/pipelining.js';

const HEAD = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n';
const lengthIn = (text: string, most: number) => lengthOfHeads(Buffer.from(text), most);

describe('the bytes in which a number of request heads end', () => {
  it('are those up to the last of these heads', () => {
    expect(lengthIn(HEAD.repeat(5), 1)).toBe(HEAD.length);
    expect(lengthIn(HEAD.repeat(5), 3)).toBe(HEAD.length * 3);
  });

  it('are all bytes where there are no more heads, or only the beginning of another one', () => {
    expect(lengthIn(HEAD.repeat(3), 3)).toBe(HEAD.length * 3);
    const rest = `${HEAD}GET /identifiers HTTP/1.1\r\n`;
    expect(lengthIn(rest, 2)).toBe(rest.length);
    expect(lengthIn('\r\n\r\n', 1)).toBe(4);
  });

  it('end no later than the parser finds a head, whichever line ends it accepts', () => {
    for (const shortest of ['GET /\r\n\r\n', 'GET /\n\r\n', 'GET /\n\n']) {
      for (const most of [1, 2, 30]) {
        expect([shortest, lengthIn(shortest.repeat(100), most)]).toEqual([shortest, shortest.length * most]);
      }
    }
  });

  it('are never empty, even in a body of empty lines, of which many are read at once', () => {
    const body = '\n'.repeat(65_536);
    let pieces = 0;
    for (let at = 0; at < body.length; pieces++) {
      const length = lengthIn(body.slice(at), 31);
      expect(length).toBeGreaterThan(0);
      at += length;
    }
    expect(pieces).toBeLessThan(350);
  });
});
