import { expect, it } from '@jest/globals';
import { type KeyedMint, RequestResults } from '../../src/storage/request-results.js';

const mint = (client: string, key: string, index: number): KeyedMint => ({
  ...{ client, key, index, fingerprint: `${client} ${key} ${index}` as never },
});

/** A row with the results of two lines of a request. */
const part = (client: string, key: string, places: number[]) => ({
  ...{ client, key, places },
  outcomes: JSON.stringify(places.map((index) => ({ hash: `${client} ${key} ${index}` }))),
});

it('the results of lines are those of the client, the key and the line', async () => {
  const queries: unknown[][] = [];
  const query = ({ name, values }: { name: string; values: unknown[] }) => {
    if (name !== 'find-request-parts') return Promise.resolve({ rows: [] });
    queries.push(values);
    return Promise.resolve({ rows: [part('b', 'k', [1, 2]), part('a', 'k', [1, 2]), part('a', 'l', [1])] });
  };
  const mints = [mint('a', 'k', 1), mint('b', 'k', 1), mint('a', 'l', 1), mint('a', 'k', 2), mint('c', 'k', 1)];
  const uses = await new RequestResults({ query } as never, null as never).find(mints);
  expect(uses.map(({ outcome }) => outcome?.hash ?? null)).toEqual(['a k 1', 'b k 1', 'a l 1', 'a k 2', null]);
  expect(queries).toEqual([['{"a","b","a","c"}', '{"k","k","l","k"}', '{"0","0","0","0"}']]);
});
