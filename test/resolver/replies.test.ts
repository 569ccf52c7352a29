import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { TimeToLive } from '../../src/handle-values/handle-value.js';
import { sendDestination, sendRedirect, sendUpstream } from '../../src/resolver/replies.js';

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
  const redirect = (ttl: TimeToLive, kind: 'alias' | 'location' | 'target', scope: 'public' | 'private') =>
    sent((reply) => sendDestination(reply, { kind, location: LOCATION, value: { ttl } as never }, scope));

  it.each([
    ['its seconds', { seconds: 60 }, 60, 'Sun, 22 Nov 2026 04:30:43 GMT'],
    ['no seconds', { seconds: 0 }, 0, 'Sun, 22 Nov 2026 04:29:43 GMT'],
    ['ten years at most', { seconds: 2_147_483_647 }, 315_360_000, 'Wed, 19 Nov 2036 04:29:43 GMT'],
    ['the seconds until a time', { until: new Date('2026-11-22T04:30:44Z') }, 60, 'Sun, 22 Nov 2026 04:30:43 GMT'],
    ['no seconds after a time', { until: new Date('2020-01-01') }, 0, 'Sun, 22 Nov 2026 04:29:43 GMT'],
  ])('may be cached for %s', (_, ttl, seconds, expires) => {
    const { 'cache-control': cacheControl, expires: until } = redirect(ttl, 'target', 'public');
    expect([cacheControl, until]).toEqual([`public, max-age=${seconds}`, expires]);
    expect(redirect(ttl, 'target', 'private')['cache-control']).toBe(`private, max-age=${seconds}`);
  });

  it('is permanent for an alias alone', () => {
    const statusOf = (kind: 'alias' | 'location' | 'target') => redirect({ seconds: 60 }, kind, 'public').status;
    expect([statusOf('alias'), statusOf('location'), statusOf('target')]).toEqual([301, 302, 302]);
  });
});

it('a redirect by a computed value expires after a day, counted from each second', () => {
  const expiry = () => sent((reply) => sendRedirect(reply, LOCATION, 'public, max-age=86400')).expires;
  expect(expiry()).toBe('Mon, 23 Nov 2026 04:29:43 GMT');
  jest.advanceTimersByTime(99);
  expect(expiry()).toBe('Mon, 23 Nov 2026 04:29:43 GMT');
  jest.advanceTimersByTime(1);
  expect(expiry()).toBe('Mon, 23 Nov 2026 04:29:44 GMT');
});

it('a redirect to another resolver is not cached', () => {
  expect(sent((reply) => sendUpstream(reply, LOCATION))).toMatchObject({ status: 303, 'cache-control': 'no-store' });
});
