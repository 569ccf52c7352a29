import { describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { RegistryFigures } from '../../src/storage/registry-figures.js';

/** What `pg` returns for several statements. */
const resultsOf = (row: object) => [{ rows: [] }, { rows: [] }, { rows: [] }, { rows: [row] }, { rows: [] }];

const ROW = { counted: 3, estimated: 0, endingLeases: 2, databaseOctets: 9_000_000 };

function figuresOf(query: () => Promise<unknown>) {
  const queried = jest.fn(query);
  return { figures: new RegistryFigures({ query: queried } as unknown as pg.Pool), queried };
}

describe('the figures of the registry', () => {
  it('are read by one query, which scrapes of a minute share', async () => {
    const { figures, queried } = figuresOf(() => Promise.resolve(resultsOf(ROW)));
    const read = await Promise.all([figures.read(), figures.read(), figures.read()]);
    expect(read).toEqual(Array(3).fill({ identifiers: 3, endingLeases: 2, databaseOctets: 9_000_000 }));
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

  it('are not numbers while the database does not respond within a second, and are read again by the next scrape', async () => {
    const unknown = { identifiers: NaN, endingLeases: NaN, databaseOctets: NaN };
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
