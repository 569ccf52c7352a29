import { describe, expect, it } from '@jest/globals';
import { routableTarget } from '../../../src/http/server/malformed-targets.js';

describe('the target that is routed', () => {
  it.each([
    ['/identifiers/a%2Fb?x=%zz', '/identifiers/a%2Fb?x=%zz'],
    ['/%zz', '/{malformed}'],
    ['/identifiers/%C3', '/{malformed}'],
    ['/api/handles/%', '/api/{malformed}'],
    ['/hrls/%zz?x', '/hrls/{malformed}'],
    ['/apis/%zz', '/{malformed}'],
    ['*', '/{malformed}'],
    ['?x', '/{malformed}'],
    [`/${'a'.repeat(20)}`, '/{malformed}'],
  ])('in place of %s is %s', (target, routed) => {
    expect(routableTarget(target, target.includes('aaa') ? 20 : 1000)).toBe(routed);
  });
});
