import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Chunk, inChunks } from '../../../src/http/lines/line-chunks.js';
import type { RawLine } from '../../../src/http/lines/line-source.js';
import { Problem } from '../../../src/problem/problem.js';

const line = (number: number, bytes = 10): RawLine => ({ number, bytes, value: () => number, content: () => 'x' });

/** The chunks of lines that arrive in these groups. */
async function chunksOf(groups: readonly (readonly RawLine[])[]): Promise<Chunk[]> {
  const left = [...groups];
  const next = inChunks(() => Promise.resolve(left.shift() ?? null));
  const chunks: Chunk[] = [];
  for (let chunk = await next(); chunk !== null; chunk = await next()) chunks.push(chunk);
  return chunks;
}

const numbersIn = (chunks: readonly Chunk[]) => chunks.map(({ lines }) => lines.map(({ number }) => number));

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
        const chunks = await chunksOf(groups);
        expect(numbersIn(chunks).flat()).toEqual(numbers);
        for (const { range, lines } of chunks) {
          expect([range.first % 100, range.last - range.first]).toEqual([1, 99]);
          expect(lines.every(({ number }) => number >= range.first && number <= range.last)).toBe(true);
        }
        expect(new Set(chunks.map(({ range }) => range.first)).size).toBe(chunks.length);
        expect(chunks.map(({ isFirst }) => isFirst)).toEqual(chunks.map((_, at) => at === 0));
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
    expect((await next())!.lines).toHaveLength(100);
  });

  it('have at most 1 MiB, unless they have one line', async () => {
    const lines = [line(1, 1_048_000), line(2, 576), line(3, 2_000_000), line(4, 1), line(100, 1), line(101, 10)];
    const chunks = await chunksOf([lines.slice(0, 3), lines.slice(3)]);
    expect(numbersIn(chunks)).toEqual([[1, 2], [3], [4, 100], [101]]);
    expect(chunks.map(({ range: { first, last }, isFirst }) => [first, last, isFirst])).toEqual([
      [1, 100, true],
      [1, 100, false],
      [1, 100, false],
      [101, 200, false],
    ]);
  });

  it.each([
    [[1, 2], [[1, 2]]],
    [[1, 100], [[1, 100]]],
    [
      [1, 101],
      [
        [1, 1],
        [101, 101],
      ],
    ],
  ])(
    'with the lines %j before a problem end with those lines, and then the problem is thrown',
    async (numbers, expected) => {
      const groups = [numbers.map((number) => line(number))];
      const next = inChunks(() => {
        const group = groups.shift();
        return group === undefined ? Promise.reject(new Problem('BODY_TOO_LARGE', 'x')) : Promise.resolve(group);
      });
      for (const [first, last] of expected) {
        const chunk = (await next())!;
        expect([chunk.lines[0]!.number, chunk.lines.at(-1)!.number]).toEqual([first, last]);
      }
      await expect(next()).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
      await expect(next()).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
    },
  );

  it.each([
    ['a broken connection', new Error('closed')],
    ['a stop of the service', new Problem('SHUTTING_DOWN', 'closed')],
  ])('before %s are dropped', async (_, error) => {
    const groups = [[line(1)]];
    const next = inChunks(() => {
      const group = groups.shift();
      return group === undefined ? Promise.reject(error) : Promise.resolve(group);
    });
    await expect(next()).rejects.toBe(error);
  });
});
