import { describe, expect, it } from '@jest/globals';
import { type KeyUse, type KeyedMint, RequestResults, earlierOf } from '../../src/storage/request-results.js';

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

const UNUSED: KeyUse = { minted: null, outcome: null, isOther: false, isInFlight: false, hasStandby: false };
const MINTED = { minted: { hash: 'own', ids: { id: '1', metadataRecordId: '2' } } };
const STORED = { outcome: { hash: 'own', text: '{"outcome":"existing"}' } };

describe('what an earlier request with a key left', () => {
  it.each<[string, object, unknown]>([
    ['nothing where the key is unused', {}, null],
    ['the pair of identifiers that the same request minted', MINTED, { id: '1', metadataRecordId: '2' }],
    ['the stored result of the same request', STORED, { text: '{"outcome":"existing"}' }],
    ['what it minted, while the key is in use', { ...MINTED, isInFlight: true }, { id: '1', metadataRecordId: '2' }],
    ['its result, where its lines used the key too', { ...STORED, isOther: true }, { text: '{"outcome":"existing"}' }],
    [
      'a conflict where another request minted',
      { minted: { ...MINTED.minted, hash: 'other' } },
      'IDEMPOTENCY_KEY_REUSED',
    ],
    ['a conflict with a stored result', { outcome: { hash: 'other', text: '{}' } }, 'IDEMPOTENCY_KEY_REUSED'],
    ['a conflict with another kind of request', { isOther: true }, 'IDEMPOTENCY_KEY_REUSED'],
    ['a conflict rather than a wait', { isOther: true, isInFlight: true }, 'IDEMPOTENCY_KEY_REUSED'],
    ['a request in flight', { isInFlight: true }, 'REQUEST_IN_FLIGHT'],
  ])('is %s', (_, use, expected) => {
    const earlier = earlierOf({ ...UNUSED, ...use }, 'own');
    expect(earlier !== null && 'code' in earlier ? earlier.code : earlier).toEqual(expected);
  });
});
