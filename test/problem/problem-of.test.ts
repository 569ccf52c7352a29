import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { problemOf } from '../../src/problem/send-problem.js';

const of = (method: string, routeOptions: object) =>
  ({ method, routeOptions: { config: {}, ...routeOptions } }) as unknown as FastifyRequest;

describe('a lock that is not released in time', () => {
  const error = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });

  it.each([
    ['GET', {}, /^Another transaction, such as a change of the schema, has locked a table/],
    ['HEAD', {}, /^Another transaction, such as a change of the schema, has locked a table/],
    [
      'POST',
      { config: { onlyReads: true } },
      /^Another transaction, such as a change of the schema, has locked a table/,
    ],
    ['POST', {}, /that changes the same identifier/],
    ['PATCH', {}, /that changes the same identifier/],
  ])('is explained to a %s with %j', (method, options, words) => {
    const { code, detail } = problemOf(error, of(method, options));
    expect([code, detail]).toEqual(['CONFLICT_IN_PROGRESS', expect.stringMatching(words)]);
  });
});

describe('an unavailable database', () => {
  const error = Object.assign(new Error('connection reset'), { code: 'ECONNRESET' });

  it.each([
    ['GET', false],
    ['POST', true],
  ])('is explained to a %s without an outcome, unless it writes', (method, isUnknown) => {
    const { code, detail } = problemOf(error, of(method, {}));
    expect([code, detail.includes('outcome')]).toEqual(['DATABASE_UNAVAILABLE', isUnknown]);
  });
});

describe("Fastify's error about a body that is too large", () => {
  const error = Object.assign(new Error('Request body is too large, error 413'), {
    code: 'FST_ERR_CTP_BODY_TOO_LARGE',
  });

  it('becomes a problem with the limit of the route', () => {
    expect(problemOf(error, of('POST', { bodyLimit: 262_144 }))).toMatchObject({
      code: 'BODY_TOO_LARGE',
      detail: 'The body may have at most 262144 bytes.',
    });
  });
});

describe('an error of the framework', () => {
  const framework = (members: object) => Object.assign(new Error('a secret'), members);

  it.each<[object, string]>([
    [{ code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 }, 'UNSUPPORTED_MEDIA_TYPE'],
    [{ statusCode: 404 }, 'NOT_FOUND'],
    [{ statusCode: 413 }, 'BODY_TOO_LARGE'],
    [{ statusCode: 400 }, 'MALFORMED_HTTP'],
    [{ statusCode: 499 }, 'MALFORMED_HTTP'],
    [{ statusCode: 500 }, 'INTERNAL_ERROR'],
    [{}, 'INTERNAL_ERROR'],
  ])('%j becomes %s', (members, code) => {
    expect(problemOf(framework(members)).code).toBe(code);
  });

  it('shows its message only where the client caused it', () => {
    expect(problemOf(framework({ statusCode: 400 })).detail).toBe('a secret');
    for (const error of [framework({}), framework({ statusCode: 500 })]) {
      expect(problemOf(error).detail).toMatch(/^The request could not be completed\. The log contains the reason/);
      expect(problemOf(error).detail).not.toContain('a secret');
    }
  });
});
