import { describe, expect, it } from '@jest/globals';
import { GuidGenerator, compactGuid, isUuid } from '../../src/registry/uuid.js';

const UUID = 'f58fb49e-b1f8-48f0-a606-e84cef294be5';

describe('the notation of IDs', () => {
  it.each([UUID, UUID.toUpperCase()])('is a UUID: %s', (text) => {
    expect(isUuid(text)).toBe(true);
  });

  it.each([
    ...['', 'f58fb49eb1f848f0a606e84cef294be5', `x${UUID}`, `${UUID}0`, UUID.slice(0, -1), ` ${UUID}`],
    ...[
      UUID.replace('f', 'g'),
      UUID.replaceAll('-', '_'),
      `{${UUID}}`,
      UUID.slice(1),
      'f58fb49e-b1f8-48f0-e84cef294be5',
    ],
  ])('is none: %j', (text) => {
    expect(isUuid(text)).toBe(false);
  });
});

describe('a GUID', () => {
  it('UUID-05: is written as 32 upper-case hex digits', () => {
    expect(compactGuid(UUID)).toBe('F58FB49EB1F848F0A606E84CEF294BE5');
  });

  it.each([1, 4, 7] as const)('CID-11: of version %d is generated, each time another', (version) => {
    const guids = new GuidGenerator();
    const [one, other] = [guids.next(version), guids.next(version)];
    expect(isUuid(one)).toBe(true);
    // The version is the 13th digit, the variant the 17th (RFC 9562 4).
    expect([one[14], '89ab'.includes(one[19]!)]).toEqual([String(version), true]);
    expect(other).not.toBe(one);
  });
});
