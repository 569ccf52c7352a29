import { expect, it } from '@jest/globals';
import { type HttpInterface, HttpInterfaces } from '../../src/http/http-interface.js';
import { REST_API } from '../../src/api/rest-interface.js';

const RESOLVER: HttpInterface = { ...REST_API, paths: /^\/resolve\//, servedInDrain: /^/ };

it('the first interface that has a path serves it, and the last one whatever none has', () => {
  const interfaces = new HttpInterfaces([RESOLVER, REST_API]);
  expect(interfaces.of({ url: '/resolve/1/2' })).toBe(RESOLVER);
  expect(interfaces.of({ url: '/identifiers?x=/resolve/' })).toBe(REST_API);
  expect(interfaces.of({ url: '*' })).toBe(REST_API);
});

it.each([
  ['/health/live', [true, true, true]],
  ['/health/ready', [false, true, true]],
  ['/health/none?x=1', [false, true, true]],
  ['/healthy', [false, false, false]],
  ['/api-keys/7', [false, true, false]],
  ['/identifiers', [false, false, false]],
])('the REST API serves %s in a drain, in an overload and uncounted: %j', (path, served) => {
  const { servedInDrain, servedInOverload, uncounted } = REST_API;
  expect([servedInDrain, servedInOverload, uncounted].map((paths) => paths.test(path))).toEqual(served);
});

it.each([
  ['/health/ready', true],
  ['/metrics', true],
  ['/metrics?x=1', true],
  ['/metricsd', false],
  ['/identifiers', false],
])('the REST API logs %s as routine: %s', (path, isRoutine) => {
  expect(REST_API.routine.test(path)).toBe(isRoutine);
});
