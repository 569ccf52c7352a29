import { describe, expect, it } from '@jest/globals';
import { acceptsJson } from '../../src/resolver/accepts-json.js';

describe('a request for a record', () => {
  it.each([
    ['application/json'],
    ['application/problem+json'],
    ['application/json;charset=utf-8'],
    ['application/problem+json, text/plain;q=0.5'],
    ['application/json, text/html;q=0'],
    ['text/*, application/json;q=0.1'],
  ])('gets JSON with Accept: %s', (accept) => {
    expect(acceptsJson(accept)).toBe(true);
  });

  it.each([
    [undefined],
    [''],
    ['*/*'],
    ['text/html'],
    ['application/json, text/html;q=0.1'],
    ['application/problem+json, */*;q=0.1'],
    ['application/json;q=0, text/plain'],
    ['application/linkset+json'],
  ])('gets a page with Accept: %s', (accept) => {
    expect(acceptsJson(accept)).toBe(false);
  });
});
