import { describe, expect, it } from '@jest/globals';
import { namedType } from '../../../src/http/headers/accept.js';

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
