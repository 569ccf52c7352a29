import { expect, it } from '@jest/globals';
import { digestOf } from '../../src/registry/uuid.js';

it('a digest is the first 16 bytes of a SHA-256, in the notation of a UUID', () => {
  // FIPS 180-2, appendix B.1: ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad.
  expect(digestOf('abc')).toBe('ba7816bf-8f01-cfea-4141-40de5dae2223');
});
