import { describe, expect, it } from '@jest/globals';
import { acceptsJson, acceptsLinkset, namedType } from '../../../src/http/headers/accept.js';

const TYPES = ['text/html', 'application/linkset+json'] as const;

describe('namedType', () => {
  it.each([
    [undefined, null],
    ['*/*', null],
    ['application/json', null],
    ['application/json, text/plain, */*', null],
    ['text/*', null],
    ['image/png', null],
    ['', null],
    ['text/html', 'text/html'],
    ['TEXT/HTML;charset=utf-8', 'text/html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['*/*, text/html;q=0.1', 'text/html'],
    ['text/html, application/json', 'text/html'],
    ['application/json, text/html', 'text/html'],
    ['application/json, text/html;q=0.9', null],
    ['text/html;q=0', null],
    ['text/html;q=0, */*', null],
    ['application/linkset+json', 'application/linkset+json'],
    ['application/linkset+json, text/html;q=0.5', 'application/linkset+json'],
    ['text/html;q=0.5, application/linkset+json', 'application/linkset+json'],
    ['application/linkset+json;q=0.2, application/json', null],
    ['text/htmlx', null],
    ['"text/html', null],
    [`${'a/b,'.repeat(99)}text/html`, 'text/html'],
    [`${'a/b,'.repeat(100)}text/html`, null],
  ] as const)('RFC 9110 12.5.1: %s is %s', (accept, type) => {
    expect(namedType(accept, TYPES)).toBe(type);
  });

  it.each([
    ['text/event-stream', true],
    ['Text/Event-Stream', true],
    ['text/event-stream;q=0.5', true],
    ['application/json;q=0.4, text/event-stream;q=0.5', true],
    ['application/json, text/event-stream;q=0.5', false],
    ['application/json, text/event-stream', true],
    ['text/event-stream, application/json', true],
    ['text/event-stream;q=0.1, */*', true],
    ['text/event-stream;q=0', false],
    ['application/json', false],
    ['*/*', false],
    ['text/*', false],
    ['', false],
    [undefined, false],
  ])('%s: a stream is %s', (accept, streams) => {
    expect(namedType(accept, ['text/event-stream'])).toBe(streams ? 'text/event-stream' : null);
  });
});

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
