import { describe, expect, it } from '@jest/globals';
import { Problem, deserializeProblem, serializeProblem } from '../../src/problem/problem.js';

describe('a stored problem', () => {
  it.each([
    new Problem('WRONG_STATE', 'no'),
    new Problem('METADATA_ID_TAKEN', 'taken', {
      errors: [{ pointer: '/metadataId', detail: 'is used' }],
      members: { existing: '/identifiers/1/2', identifier: '1/2' },
    }),
  ])('is read as it was: %s', (problem) => {
    const stored = JSON.parse(JSON.stringify(serializeProblem(problem))) as ReturnType<typeof serializeProblem>;
    const { code, detail, extensions } = deserializeProblem(stored);
    expect([code, detail]).toEqual([problem.code, problem.detail]);
    expect(extensions).toEqual({ members: {}, ...problem.extensions });
  });
});
