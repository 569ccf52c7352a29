import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { RESERVED_SEGMENTS } from '../../../src/registry/naming-authority.js';
import { Entrance, entryOf } from '../../../src/handle/resolver/entrance.js';
import { KNOWN } from '../../records.js';

const ROUTE = '/{handle}';
const RULES = { hasUpstream: false, isClosed: false, hasFrontPage: false };

function entranceWith(rules: Partial<typeof RULES> = {}, isCurrent = true): Entrance {
  const entrance = new Entrance({ ...RULES, ...rules });
  entrance.use({ latest: KNOWN, isCurrent });
  return entrance;
}

const requestFor = (url: string, method = 'GET') => ({ url, method, headers: {} }) as IncomingMessage;

describe('the entrance of the resolver', () => {
  it.each([
    '/100.102/x',
    '/100.102',
    '/100.102/x?y',
    '/100.102#z',
    '/%31%30%30.102/x',
    'http://any.example/100.102/x',
    '//100.102/x',
  ])('has %s', (url) => {
    expect(entranceWith().routeOf(requestFor(url))).toBe(ROUTE);
  });

  it.each([
    '/',
    '/?hdl=100.102/x',
    '/99.999/x',
    '/identifiers/100.102/x',
    '*',
    '',
    'host:80',
    '/%zz/x',
    '/nowhere',
    '/x/100.102/y',
  ])('does not have %j', (url) => {
    expect(entranceWith().routeOf(requestFor(url))).toBeNull();
  });

  it('does not have the literal path of its route', () => {
    for (const url of ['/{handle}', '/%7Bhandle%7D', '/%7bh%61ndle}']) {
      expect(entranceWith().routeOf(requestFor(url))).toBe('/{handle}/');
    }
  });

  it('has no path below a reserved segment, whatever naming authorities exist', () => {
    const closed = entranceWith({ isClosed: true, hasUpstream: true }, false);
    for (const segment of RESERVED_SEGMENTS) {
      expect([segment, closed.routeOf(requestFor(`/${segment}/x`))]).toEqual([segment, null]);
      expect(closed.routeOf(requestFor(`/${segment.toUpperCase()}/x`))).toBeNull();
    }
  });

  it('doubts an unknown prefix while the naming authorities may have changed', () => {
    const entrance = entranceWith({}, false);
    const request = requestFor('/99.999/x');
    expect(entrance.routeOf(request)).toBe(ROUTE);
    expect(entryOf(request)).toMatchObject({ kind: 'name', authority: null, isDoubtful: true });
    entrance.use({ latest: KNOWN, isCurrent: true });
    expect(entrance.reread(request, '/99.999/x')).toBeNull();
    expect(entranceWith({}, false).routeOf(requestFor('/nowhere'))).toBeNull();
  });

  it('has each path of two segments where reading requires a key, and no shorter one', () => {
    const entrance = entranceWith({ isClosed: true });
    for (const url of ['/99.999/x', '/nowhere/x', '/100.102/x', '/99.999%2Fx', '/99.999/%zz', '/100.102/%zz']) {
      expect([url, entrance.routeOf(requestFor(url))]).toEqual([url, ROUTE]);
    }
    for (const url of ['/99.999', '/100.102', '/nowhere']) expect(entrance.routeOf(requestFor(url))).toBeNull();
  });

  it('has the form where no other interface has the page', () => {
    expect(entranceWith().routeOf(requestFor('/', 'POST'))).toBe(ROUTE);
    expect(entranceWith({ hasFrontPage: true }).routeOf(requestFor('/'))).toBe(ROUTE);
  });
});
