import { expect, it } from '@jest/globals';
import { Problem, headersOf } from '../../src/problem/problem.js';

const conflictWith = (existing: string) =>
  headersOf(new Problem('METADATA_ID_TAKEN', '', { members: { existing }, headers: { 'retry-after': '1' } }));

it('a conflict links to the resource that exists', () => {
  expect(conflictWith('/identifiers/1.2%2F3')).toEqual({
    link: '</identifiers/1.2%2F3>; rel="related"',
    'retry-after': '1',
  });
});

it('a path of more than 7,168 characters is in no header', () => {
  expect(conflictWith('x'.repeat(7168)).link).toBe(`<${'x'.repeat(7168)}>; rel="related"`);
  expect(conflictWith('x'.repeat(7169))).toEqual({ 'retry-after': '1' });
});
