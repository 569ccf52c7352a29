import { describe, expect, it } from '@jest/globals';
import { withQueryPointers } from '../../../src/http/validation/request-validation.js';
import { Problem } from '../../../src/problem/problem.js';

describe('the pointers of a problem of a query', () => {
  it('name parameters; those of other parts of the request stay', async () => {
    const errors = [
      { pointer: '/target', detail: 'a' },
      { pointer: '#query/cursor', detail: 'b', code: 'INVALID_CURSOR' as const },
    ];
    const problem = new Problem('INVALID_REQUEST', 'a', { errors, members: { offset: 3 } });
    await expect(withQueryPointers(Promise.reject(problem))).rejects.toMatchObject({
      message: 'INVALID_REQUEST: a',
      extensions: { errors: [{ ...errors[0], pointer: '#query/target' }, errors[1]], members: { offset: 3 } },
    });
  });

  it('a problem without pointers, another error and a result are unchanged', async () => {
    const problem = new Problem('UNAUTHENTICATED', 'no', { headers: { a: 'b' } });
    await expect(withQueryPointers(Promise.reject(problem))).rejects.toEqual(problem);
    const error = new TypeError('no');
    await expect(withQueryPointers(Promise.reject(error))).rejects.toBe(error);
    await expect(withQueryPointers(Promise.resolve(7))).resolves.toBe(7);
  });
});
