import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { StoredValue } from '../../../src/registry/stored-value.js';
import { RedirectHeaders, sendDestination, sendRedirect, sendUpstream } from '../../../src/handle/resolver/replies.js';

const LOCATION = 'https://a.example/';

/** The status and the headers that a reply gets. */
function sent(send: (reply: never) => unknown): Record<string, unknown> {
  const answer: Record<string, unknown> = {};
  const add = (members: object) => {
    Object.assign(answer, members);
    return reply;
  };
  const reply = { code: (status: number) => add({ status }), headers: add, send: () => reply };
  send(reply as never);
  return answer;
}

beforeEach(() => {
  jest.useFakeTimers({ now: new Date('2026-11-22T04:29:43.900Z') });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a redirect by a stored value', () => {
  const redirect = (
    ttl: StoredValue['ttl'],
    kind: 'alias' | 'location' | 'target',
    sharedSeconds: number | null = 600,
  ) =>
    sent((reply) =>
      sendDestination(
        reply,
        { kind, location: LOCATION, value: { ttl } as never },
        { browserSeconds: 60, sharedSeconds },
      ),
    );

  it.each([
    ['its seconds', 40, [40, 40], 'Sun, 22 Nov 2026 04:30:23 GMT'],
    ['no seconds', 0, [0, 0], 'Sun, 22 Nov 2026 04:29:43 GMT'],
    ['the configured seconds at most', 2_147_483_647, [60, 600], 'Sun, 22 Nov 2026 04:30:43 GMT'],
    ['the seconds until a time', '2026-11-22T04:30:24Z', [40, 40], 'Sun, 22 Nov 2026 04:30:23 GMT'],
    ['no seconds after a time', '2020-01-01T00:00:00Z', [0, 0], 'Sun, 22 Nov 2026 04:29:43 GMT'],
  ] as const)('may be cached for %s', (_, ttl, [own, shared], expires) => {
    const { 'cache-control': cacheControl, expires: until } = redirect(ttl, 'target');
    expect([cacheControl, until]).toEqual([`public, max-age=${own}, s-maxage=${shared}`, expires]);
    expect(redirect(ttl, 'target', null)['cache-control']).toBe(`private, max-age=${own}`);
  });

  it('is temporary and stored by no cache where it is that of another identifier', () => {
    const value = { ttl: 60 } as never;
    const { status, expires, ...headers } = sent((reply) =>
      sendDestination(reply, { kind: 'alias', location: LOCATION, value }, null),
    );
    expect([status, expires, headers['cache-control'], headers.vary]).toEqual([302, undefined, 'no-store', 'Accept']);
  });

  it('is permanent for an alias alone', () => {
    const statusOf = (kind: 'alias' | 'location' | 'target') => redirect(60, kind).status;
    expect([statusOf('alias'), statusOf('location'), statusOf('target')]).toEqual([301, 302, 302]);
  });
});

it('a redirect by a computed value expires after the configured seconds, counted from each second', () => {
  const headers = new RedirectHeaders({ browserSeconds: 60, sharedSeconds: 600 });
  const redirect = () => sent((reply) => sendRedirect(reply, LOCATION, headers));
  expect(redirect()['cache-control']).toBe('public, max-age=60, s-maxage=600');
  expect(redirect().expires).toBe('Sun, 22 Nov 2026 04:30:43 GMT');
  jest.advanceTimersByTime(99);
  expect(redirect().expires).toBe('Sun, 22 Nov 2026 04:30:43 GMT');
  jest.advanceTimersByTime(1);
  expect(redirect().expires).toBe('Sun, 22 Nov 2026 04:30:44 GMT');
});

it('a redirect to another resolver is not cached', () => {
  expect(sent((reply) => sendUpstream(reply, LOCATION))).toMatchObject({ status: 303, 'cache-control': 'no-store' });
});
