import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import type { Address } from '../../../src/registry/naming-authority-snapshot.js';
import { ResolutionReader } from '../../../src/storage/identifiers/cache/resolution-reader.js';

const ADDRESS: Address = {
  namingAuthority: '100.102',
  guid: 'F58FB49EB1F848F0A606E84CEF294BE5',
  localKey: null,
  comparison: null,
  foldsCase: false,
};

describe('reads of the resolver behind statements that do not end', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are rejected after 3 s, and no statement is sent for them', async () => {
    const query = jest.fn(() => new Promise<never>(() => {}));
    const reader = new ResolutionReader({ query } as unknown as pg.Pool);
    const codes: string[] = [];
    // Two statements run at a time, so the third read waits.
    for (let reads = 0; reads < 3; reads++) {
      reader.find(ADDRESS).catch((error: unknown) => codes.push((error as { code: string }).code));
    }
    await jest.advanceTimersByTimeAsync(2900);
    expect([query.mock.calls.length, reader.depth, codes]).toEqual([2, 1, []]);
    await jest.advanceTimersByTimeAsync(200);
    expect([query.mock.calls.length, reader.depth, codes]).toEqual([2, 0, ['DATABASE_UNAVAILABLE']]);
  });
});
