import { describe, expect, it } from '@jest/globals';
import { acceptsJson, acceptsLinkset } from '../../src/resolver/accepted-types.js';

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

describe('a request for the link set', () => {
  it.each([
    ['application/linkset+json', true],
    ['Application/Linkset+JSON;q=0.5, */*;q=0.1', true],
    ['application/linkset+json, application/json;q=0.9', true],
    ['application/linkset+json;q=0.9, text/html', false],
    ['application/linkset+json;q=0.9, application/json', false],
    ['application/linkset+json;q=0', false],
    ['*/*', false],
    [undefined, false],
  ])('has Accept: %s: %s', (accept, isIt) => {
    expect(acceptsLinkset(accept)).toBe(isIt);
  });
});
