import { describe, expect, it } from '@jest/globals';
import { isTarget, targetFault } from '../../src/registry/target.js';

describe('a URL that is no target', () => {
  it.each<[string, string]>([
    ['', 'must not be empty'],
    ['repo.example.org/1', 'must begin with "http://" or "https://"'],
    ['ftp://repo.example.org/1', 'must begin with "http://" or "https://"'],
    ['https://me:secret@repo.example.org/1', 'must not have a user or a password before the host'],
    [
      'https://repo.example.org/a b',
      'has a space at offset 26, which a URI does not allow; percent-encode it as "%20"',
    ],
    [
      'https://repo.example.org/\u00fc',
      'has "\u00fc" (U+00FC) at offset 25, which a URI does not allow; percent-encode it as "%C3%BC"',
    ],
    [
      'https://repo.example.org/\u00a0',
      'has U+00A0 at offset 25, which a URI does not allow; percent-encode it as "%C2%A0"',
    ],
    [
      'https://repo.example.org/{1}',
      'has "{" (U+007B) at offset 25, which a URI does not allow; percent-encode it as "%7B"',
    ],
    ['https://repo.example.org/100%', 'has a "%" at offset 28 without two hexadecimal digits; a "%" itself is "%25"'],
    ['https://repo.example.org/\ud800', 'has U+D800 at offset 25, which a URI does not allow'],
    ['https://repo.example.org:99999/', 'must have a valid host, and a port from 0 to 65535 if it has one'],
    ['https:///1', 'must have a valid host, and a port from 0 to 65535 if it has one'],
  ])('%j: %s', (text, fault) => {
    expect(isTarget(text)).toBe(false);
    expect(targetFault(text)).toBe(fault);
  });
});
