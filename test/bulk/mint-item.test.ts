import { describe, expect, it } from '@jest/globals';
import { ADMIN } from '../../src/access/principal.js';
import { parseItem } from '../../src/bulk/mint-item.js';
import { KNOWN } from '../records.js';

const sourceOf = (byDefault: string | undefined, target?: string) => {
  const request = { guid: 'no GUID', ...(target === undefined ? {} : { target }) };
  return parseItem({ clientRef: null, request, value: request }, byDefault, KNOWN, ADMIN).canonical;
};

describe('the fingerprint source of an item that is rejected', () => {
  it('is the same for the same item, and differs in the default naming authority and in each member', () => {
    expect(sourceOf('100.102')).toBe(sourceOf('100.102'));
    const sources = [
      sourceOf('100.102'),
      sourceOf('2000.01'),
      sourceOf(undefined),
      sourceOf('100.102', 'https://a.example/'),
    ];
    expect(new Set(sources).size).toBe(4);
  });
});
