import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutLine } from '../../src/logging/line-limit.js';

const asItIs = (line: string) => line;
/** Characters of six bytes each in the escapes of the logger. */
const escaping = (line: string) => line.replaceAll('\u0085', '\\u0085');

describe('a line of the log', () => {
  it('that is short enough is unchanged', () => {
    const line = `${JSON.stringify({ level: 30, msg: 'request', url: 'a'.repeat(1900) })}\n`;
    expect(cutLine(line, asItIs)).toBe(line);
  });

  it('is JSON of at most 2 KB for any content, with its id and its message', () => {
    const entry = fc.record({
      level: fc.constant(30),
      time: fc.constant('2026-11-22T00:00:00.000Z'),
      reqId: fc.string({ maxLength: 128 }),
      msg: fc.constantFrom('request', 'x'.repeat(5000)),
      url: fc.string({ unit: 'binary', maxLength: 4000 }),
      texts: fc.array(fc.string({ unit: fc.constantFrom('a', '"', '€', '😀', '\u0085', '\\') }), { maxLength: 400 }),
      err: fc.record({ stack: fc.constant('at file.js\n'.repeat(400)) }),
    });
    fc.assert(
      fc.property(entry, (value) => {
        const line = cutLine(`${JSON.stringify(value)}\n`, escaping);
        expect(Buffer.byteLength(line)).toBeLessThanOrEqual(2048);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        const { level, reqId, msg } = JSON.parse(line) as typeof value;
        expect(level).toBe(30);
        expect(value.reqId.startsWith(reqId.replace(/…$/, ''))).toBe(true);
        expect(value.msg.startsWith(msg.replace(/…$/, ''))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
