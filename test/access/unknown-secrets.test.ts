import { describe, expect, it } from '@jest/globals';
import { UnknownSecrets } from '../../src/access/key-cache.js';

describe('a secret that belongs to no key', () => {
  it('is remembered for a minute', () => {
    let ms = 5;
    const secrets = new UnknownSecrets(10, () => ms);
    expect(secrets.has('a')).toBe(false);
    secrets.add('a');
    ms += 59_999;
    expect(secrets.has('a')).toBe(true);
    ms += 1;
    expect(secrets.has('a')).toBe(false);
  });

  it('is forgotten first when there are too many that came later', () => {
    const secrets = new UnknownSecrets(3, () => 0);
    for (const hash of ['a', 'b', 'c', 'a', 'd']) secrets.add(hash);
    expect(['a', 'b', 'c', 'd'].map((hash) => secrets.has(hash))).toEqual([true, false, true, true]);
  });
});
