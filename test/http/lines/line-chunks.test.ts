import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inChunks, partOf } from '../../../src/http/lines/line-chunks.js';
import type { RawLine } from '../../../src/http/lines/line-source.js';
import { Problem } from '../../../src/problem/problem.js';

const line = (number: number, bytes = 10): RawLine => ({ number, bytes, value: () => number, content: () => 'x' });

/** The chunks of lines that arrive in these groups. */
async function chunksOf(groups: readonly (readonly RawLine[])[]): Promise<(readonly RawLine[])[]> {
  const left = [...groups];
  const next = inChunks(() => Promise.resolve(left.shift() ?? null));
  const chunks: (readonly RawLine[])[] = [];
  for (let chunk = await next(); chunk !== null; chunk = await next()) chunks.push(chunk);
  return chunks;
}

const numbersIn = (chunks: readonly (readonly RawLine[])[]) => chunks.map((chunk) => chunk.map(({ number }) => number));

describe('the chunks of lines', () => {
  it('depend on the numbers of lines only, however they arrive', async () => {
    const numbered = fc
      .uniqueArray(fc.integer({ min: 1, max: 500 }), { minLength: 1 })
      .map((all) => all.sort((a, b) => a - b));
    await fc.assert(
      fc.asyncProperty(numbered, fc.integer({ min: 1, max: 150 }), async (numbers, size) => {
        const lines = numbers.map((number) => line(number));
        const groups = Array.from({ length: Math.ceil(lines.length / size) }, (_, n) =>
          lines.slice(n * size, (n + 1) * size),
        );
        const chunks = numbersIn(await chunksOf(groups));
        expect(chunks.flat()).toEqual(numbers);
        for (const chunk of chunks) expect(new Set(chunk.map((number) => Math.ceil(number / 100))).size).toBe(1);
        const parts = chunks.map(([first]) => partOf({ number: first! }));
        expect(parts).toEqual([...new Set(parts)]);
      }),
    );
  });

  it('are returned with their last line, before the next one arrives', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => line(index + 1));
    const next = inChunks(
      (() => {
        const groups = [lines];
        return () => Promise.resolve(groups.shift() ?? new Promise<null>(() => {}));
      })(),
    );
    expect(await next()).toHaveLength(100);
  });

  it('reject the lines beyond 1 MiB, and the next chunk begins anew', async () => {
    const [chunk, other] = await chunksOf([[line(1, 1_048_000), line(2, 600), line(3, 1), line(101, 10)]]);
    expect(chunk!.slice(0, 1).map(({ value }) => value())).toEqual([1]);
    for (const { value } of chunk!.slice(1)) expect(value).toThrow(Problem);
    expect(other!.map(({ value }) => value())).toEqual([101]);
  });
});
