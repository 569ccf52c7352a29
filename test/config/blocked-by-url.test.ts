import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config/config.js';

describe('BLOCKED_BY_URL', () => {
  it('is the URL of who blocks identifiers (RFC 7725 4), which fits into a header; none by default', () => {
    const url = 'https://repo.example.org/about?for=451';
    expect([readConfig({}).blockedByUrl, readConfig({ BLOCKED_BY_URL: url }).blockedByUrl]).toEqual([null, url]);
    for (const BLOCKED_BY_URL of [
      ...['repo.example.org', 'ftp://repo.example.org/', 'https://u:p@repo.example.org/', 'https://h/>;x', 'https://'],
      ...['https://h:99999/', 'https://h/a b', `https://h/${'a'.repeat(491)}`],
    ]) {
      expect(() => readConfig({ BLOCKED_BY_URL })).toThrow(
        'BLOCKED_BY_URL must be an http or https URL of at most 500',
      );
    }
  });
});
