import { describe, expect, it } from '@jest/globals';
import { problemOf } from '../../src/problem/problem.filter.js';

describe("Fastify's error about a body that is too large", () => {
  const error = Object.assign(new Error('Request body is too large, error 413'), {
    code: 'FST_ERR_CTP_BODY_TOO_LARGE',
  });

  it('becomes a problem with the limit of the route', () => {
    expect(problemOf(error, 262_144)).toMatchObject({
      code: 'BODY_TOO_LARGE',
      detail: 'The body may have at most 262144 octets.',
    });
  });
});
