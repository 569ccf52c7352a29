import { describe, expect, it } from '@jest/globals';
import { prefersStream } from '../../../src/api/events/prefers-stream.js';

describe('RFC 9110 12.5.1: the media types of Accept', () => {
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
    expect(prefersStream(accept)).toBe(streams);
  });
});
