import { describe, expect, it } from '@jest/globals';
import type { NewIdentifier } from '../../src/registry/new-identifier.js';
import { partitionConflicting } from '../../src/storage/identifiers/identifier-writer.js';

const REQUEST = { key: 'k', index: 2, fingerprint: 'f' };
const alternates = (...keys: string[]) => keys.map((key) => ({ key, canonical: key }));

const NAME = { namingAuthority: '1', guid: null, localKey: 'l' };

const item = (more: object = {}): NewIdentifier =>
  ({
    ...{ authority: { prefix: '1' }, actor: { client: 'c', keyId: null }, request: null },
    ...{ selfKey: null, metadata: null, alternates: [], ...more },
  }) as never;

/** The indexes of the items that can be inserted by one statement, and of those that must follow. */
function partition(...items: NewIdentifier[]): [number[], number[]] {
  const { now, later } = partitionConflicting(items.map((each, index) => ({ item: each, index })));
  return [now.map(({ index }) => index), later.map(({ index }) => index)];
}

describe('identifiers for one statement', () => {
  it.each<[string, object, object]>([
    ['the same local name', { selfKey: 'x', address: NAME }, { selfKey: 'x', address: NAME }],
    [
      'the name that the other claims',
      { selfKey: 'x', address: NAME },
      { alternates: [{ key: 'k', here: { namingAuthority: '1', address: NAME } }] },
    ],
    ['the same metadata ID', { metadata: { key: 'm' } }, { metadata: { key: 'm' } }],
    ['a common alternate', { alternates: alternates('a', 'b') }, { alternates: alternates('b', 'c') }],
    ['the same index of a request', { request: REQUEST }, { request: { ...REQUEST, fingerprint: 'other' } }],
  ])('leaves the second of two with %s for later', (_, one, other) => {
    expect(partition(item(one), item(other), item())).toEqual([[0, 2], [1]]);
  });

  it.each<[string, object, object]>([
    ['generated local names', {}, {}],
    [
      'one metadata ID under two naming authorities',
      { metadata: { key: 'm' } },
      { metadata: { key: 'm' }, authority: { prefix: '2' } },
    ],
    [
      'one alternate under two naming authorities',
      { alternates: alternates('a') },
      { alternates: alternates('a'), authority: { prefix: '2' } },
    ],
    ['a metadata ID that is the alternate of the other', { metadata: { key: 'a' } }, { alternates: alternates('a') }],
    ['two indexes of a request', { request: REQUEST }, { request: { ...REQUEST, index: 4 } }],
    ['one key of two clients', { request: REQUEST }, { request: REQUEST, actor: { client: 'd' } }],
    [
      'keys and clients that are alike only when they are joined',
      { request: { ...REQUEST, key: 'b"c' }, actor: { client: 'a' } },
      { request: { ...REQUEST, key: 'c' }, actor: { client: 'a"b' } },
    ],
  ])('keeps two with %s together', (_, one, other) => {
    expect(partition(item(one), item(other))).toEqual([[0, 1], []]);
  });

  it('leaves one for later that conflicts only with one that is left for later', () => {
    const chain = [alternates('a'), alternates('a', 'b'), alternates('b')].map((each) => item({ alternates: each }));
    expect(partition(...chain)).toEqual([[0], [1, 2]]);
  });
});
