import { expect, it } from '@jest/globals';
import { locationHeader, nextLink } from '../../../src/http/headers/links.js';

it.each([
  ['Location', locationHeader, { location: '/x' }],
  ['Link', nextLink, { link: '</x>; rel="next"' }],
])('a path of 7,168 characters is in a %s header, and a longer one is not', (_, header, short) => {
  expect(header('/x')).toEqual(short);
  expect(Object.values(header('x'.repeat(7168)))).toEqual([expect.stringContaining('x'.repeat(7168))]);
  expect(header('x'.repeat(7169))).toEqual({});
});
