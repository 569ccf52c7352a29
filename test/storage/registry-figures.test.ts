import { describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { RegistryFigures } from '../../src/storage/registry-figures.js';

/** What `pg` returns for several statements. */
const resultsOf = (row: object) => [{ rows: [] }, { rows: [] }, { rows: [] }, { rows: [row] }, { rows: [] }];

const ROW = { counted: 3, estimated: 0, endingLeases: 2, databaseBytes: 9_000_000, clockSeconds: 1_800_000_000 };

function figuresOf(query: () => Promise<unknown>) {
  const queried = jest.fn(query);
  return { figures: new RegistryFigures({ query: queried } as unknown as pg.Pool), queried };
}

describe('the figures of the registry', () => {
  it('are read by one query, which scrapes of a minute share', async () => {
    const { figures, queried } = figuresOf(() => Promise.resolve(resultsOf(ROW)));
    const read = await Promise.all([figures.read(), figures.read(), figures.read()]);
    expect(read[0]).toMatchObject({ identifiers: 3, endingLeases: 2, databaseBytes: 9_000_000 });
    expect(new Set(read).size).toBe(1);
    await figures.read();
    expect(queried).toHaveBeenCalledTimes(1);
    const now = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_001);
    await figures.read();
    now.mockRestore();
    expect(queried).toHaveBeenCalledTimes(2);
  });

  it.each([
    [10_000, 25_000, 10_000],
    [10_001, 25_000, 25_000],
    [10_001, -1, 10_001],
  ])('count %d rows, estimated as %d, as %d identifiers', async (counted, estimated, identifiers) => {
    const { figures } = figuresOf(() => Promise.resolve(resultsOf({ ...ROW, counted, estimated })));
    expect((await figures.read()).identifiers).toBe(identifiers);
  });

  it.each([
    [86_400, 'tomorrow'],
    [-7, 'seven seconds ago'],
  ])('have the offset %d of a clock of the database that says %s', async (offset) => {
    const { figures } = figuresOf(() =>
      Promise.resolve(resultsOf({ ...ROW, clockSeconds: Date.now() / 1000 + offset })),
    );
    expect((await figures.read()).clockOffsetSeconds).toBeCloseTo(offset, 0);
  });

  it('are not numbers while the database does not respond within a second, and are read again by the next scrape', async () => {
    const unknown = { identifiers: NaN, endingLeases: NaN, databaseBytes: NaN, clockOffsetSeconds: NaN };
    const outcomes: (() => Promise<unknown>)[] = [
      () => Promise.reject(new Error('the connection was lost')),
      () => new Promise(() => {}),
      () => Promise.resolve(resultsOf(ROW)),
    ];
    const { figures } = figuresOf(() => outcomes.shift()?.() ?? Promise.reject(new Error('queried too often')));
    expect(await figures.read()).toEqual(unknown);
    const since = performance.now();
    expect(await figures.read()).toEqual(unknown);
    expect(performance.now() - since).toBeLessThan(3000);
    expect((await figures.read()).identifiers).toBe(3);
  });
});
