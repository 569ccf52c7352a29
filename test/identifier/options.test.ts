import { describe, expect, it } from '@jest/globals';
import * as id from '../../packages/identifier/src/index.js';

/** Calls that only a program without a compiler can make: each throws a TypeError with this message. */
const CALLS: readonly (readonly [string, () => unknown, string])[] = [
  [
    'charset',
    () => id.parseHandle('1/x', { charset: 'utf8' as never }),
    'charset: expected one of ucs2, unicode, found "utf8"',
  ],
  [
    'charset',
    () => id.isHandle('1/x', { charset: 0 as never }),
    'charset: expected one of ucs2, unicode, found a value of type number',
  ],
  ['a text', () => id.toHandle('1/x', 'unicode' as never), 'options: expected an object, found "unicode"'],
  ['null', () => id.parseInfoHdl('info:hdl/1/x', null as never), 'options: expected an object, found null'],
  [
    'profile',
    () => id.parseHdlUri('hdl:1/x', { profile: 'handle' as never }),
    'profile: expected one of cordra, generic, handle-scheme, found "handle"',
  ],
  [
    'hdlAuthority',
    () => id.parseHdlUri('hdl:1/x', { hdlAuthority: 'host' as never }),
    'hdlAuthority: expected one of naming-authority, server, found "host"',
  ],
  [
    'profile of a naming authority',
    () => id.parseNamingAuthority('1', { profile: 'generic' as never }),
    'profile: expected one of cordra, handle, found "generic"',
  ],
  [
    'charset of a naming authority',
    () => id.parseNamingAuthority('1', { charset: '' as never }),
    'charset: expected one of ucs2, unicode, found ""',
  ],
  [
    'kind',
    () => id.normalize('10.1/x', 'nope' as never),
    'kind: expected one of cordra, handle, hdl-uri, http-uri, info-hdl, fedora-pid, fedora-uri, fedora-dissemination, uuid, found "nope"',
  ],
  [
    'charset of normalize',
    () => id.normalize('x', undefined, { charset: 'utf8' as never }),
    'charset: expected one of ucs2, unicode, found "utf8"',
  ],
  [
    'charset of recognize',
    () => id.recognize('x', { charset: 'utf8' as never }),
    'charset: expected one of ucs2, unicode, found "utf8"',
  ],
  [
    'scheme',
    () => id.parseResolver({ authority: 'h' } as never),
    'scheme: expected a string, found a value of type undefined',
  ],
  [
    'authority',
    () => id.toResolver({ scheme: 'http' } as never),
    'authority: expected a string, found a value of type undefined',
  ],
  [
    'firstSegment',
    () => id.toResolver({ scheme: 'http', authority: 'h', firstSegment: 1 } as never),
    'firstSegment: expected a string, found a value of type number',
  ],
];

describe('an unknown value in the options is a TypeError in words', () => {
  it.each(CALLS)('%s: %s', (_, call, message) => {
    expect(call).toThrow(new TypeError(message));
  });

  it.each<[string, (resolver: id.Resolver) => unknown]>([
    ['urisOf', (resolver) => id.urisOf(id.toHandle('10.1/x'), { resolver })],
    ['unavailableUris', (resolver) => id.unavailableUris(id.toHandle('10.1/x'), { resolver })],
    ['parseHttpUri', (resolver) => id.parseHttpUri('http://h/10.1/x', { resolver })],
    ['recognize', (resolver) => id.recognize('10.1/x', { resolver })],
  ])('%s: a resolver that was not parsed', (_, call) => {
    const message = 'resolver: expected a result of parseResolver or toResolver, found a value of type object';
    expect(() => call({ scheme: 'http', authority: 'h' } as never)).toThrow(new TypeError(message));
  });
});

it('the index that filter and map pass is no option', () => {
  expect(['10.1/😀', '10.1/x'].map(id.isHandle as (text: string) => boolean)).toEqual([false, true]);
  expect(id.isHandle('10.1/😀', { charset: 'unicode' })).toBe(true);
});

it('without a resolver there is no HTTP URI', () => {
  const name = id.toHandle('10.1/x');
  expect([id.urisOf(name).resolver, id.unavailableUris(name).resolver]).toEqual([null, 'URI-36']);
  const resolver = id.toResolver({ scheme: 'https', authority: 'h' });
  expect(id.urisOf(name, { resolver }).resolver).toBe('https://h/10.1/x');
});
