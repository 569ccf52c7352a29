import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RESOLVER, toResolver } from '@mintmark/identifier';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import { localNamesOf } from '../../src/handle/resolver/local-names.js';
import { readPath } from '../../src/finding/read-path.js';
import { GUID, authorityWith } from '../records.js';

const archive = toResolver({ scheme: 'https', authority: 'archive.example:8443', firstSegment: 'ark' });
const escaped = toResolver({ scheme: 'https', authority: 'archive.example:8443', firstSegment: 'r%20s%2Ft' });
const known = new NamingAuthoritySnapshot(
  [
    authorityWith(),
    authorityWith({ prefix: 'Lib', profile: 'handle', resolver: archive }),
    authorityWith({ prefix: '20.7', resolver: escaped }),
    authorityWith({ prefix: '20.8', resolver: toResolver({ ...escaped, firstSegment: 'r%20s' }) }),
  ],
  DEFAULT_RESOLVER,
);

const pathOf = (text: string, isOneSegment: boolean): string =>
  `/${isOneSegment ? encodeURIComponent(text) : text.split('/').map(encodeURIComponent).join('/')}`;
const read = (text: string, isOneSegment = false) => readPath(pathOf(text, isOneSegment), known, 'pid.example')!;

describe('a path', () => {
  it.each([
    ['100.102/x', '100.102/x'],
    ['//100.102/x', '100.102/x'],
    [' \t\u0000100.102/x ', '100.102/x '],
    ['ark/lib/x', 'lib/x'],
    ['ark/ /lib/x', 'lib/x'],
    ['HDL:Lib/x', 'Lib/x'],
    ['hdl://Lib/x', 'Lib/x'],
    ['hdl:/Lib/x', 'Lib/x'],
    ['doi: Lib/x', 'Lib/x'],
    ['info:hdl/Lib/x', 'Lib/x'],
    ['https://HDL.handle.net/Lib/x', 'Lib/x'],
    ['http:/doi.org/Lib/x', 'Lib/x'],
    ['http://hdl.handle.net:80/Lib/x', 'Lib/x'],
    ['https://hdl.handle.net:443/Lib/x', 'Lib/x'],
    ['http://hdl.handle.net:/Lib/x', 'Lib/x'],
    ['https://hdl.handle.net:/Lib/x', 'Lib/x'],
    ['https://archive.example:8443/ark/Lib/x', 'Lib/x'],
    ['r s/t/Lib/x', 'Lib/x'],
    ['r s/t/hdl:Lib/x', 'Lib/x'],
    ['https://archive.example:8443/r s/t/Lib/x', 'Lib/x'],
    ['http://pid.example/Lib/x', 'Lib/x'],
    ['ark/hdl:Lib/hdl:x', 'Lib/hdl:x'],
    ['https://hdl.handle.net/hdl:Lib/hdl:x', 'Lib/hdl:x'],
    ['https://doi.org/info:doi/Lib/x', 'Lib/x'],
    ['https://archive.example:8443/ark/hdl: Lib/x', 'Lib/x'],
    ['https://hdl.handle.net/api/handles/Lib/x', 'Lib/x'],
  ])('%j has the name %j', (text, handle) => {
    const { authority, handle: found } = read(text);
    expect([found, authority === null]).toEqual([handle, false]);
  });

  it.each([
    ['99.999/x', true],
    ['hdl:other/x', true],
    ['ark/other/x', true],
    ['other/x', false],
    ['hdl/Lib/x', false],
    ['http://evil.example/Lib/x', false],
    ['http://hdl.handle.net:443/Lib/x', false],
    ['urn:Lib/x', false],
    ['', false],
  ])('%j has no known prefix; it can only be meant as a Handle: %s', (text, isMarked) => {
    const reading = read(text);
    expect([reading.authority, reading.isMarked]).toEqual([null, isMarked]);
  });
});

it.each([
  ['pid.example:80', 'http://pid.example/Lib/x'],
  ['pid.example:80', 'http://pid.example:80/Lib/x'],
  ['pid.example:443', 'https://pid.example/Lib/x'],
])('a path has the name in a URL of the host %s of the request: %s', (host, text) => {
  expect(readPath(pathOf(text, false), known, host)).toMatchObject({ handle: 'Lib/x', authority: { prefix: 'Lib' } });
});

describe('the local names of a reading', () => {
  const namesOf = (text: string, isOneSegment = false) => {
    const reading = read(text, isOneSegment);
    return localNamesOf(reading.authority!, reading);
  };

  it.each([
    ['Lib/x', false, ['x']],
    ['Lib/', false, []],
    ['Lib', false, []],
    ['Lib/ x \0', false, [' x \0', ' x']],
    ['Lib/100%25', false, ['100%25']],
    ['hdl:Lib/100%25', false, ['100%25']],
    ['hdl:Lib/100%25', true, ['100%']],
    ['hdl:Lib/100%2525', true, ['100%25']],
    ['hdl:L%69b/x', true, ['x']],
    ['hdl:Lib/%zz', true, ['%zz']],
    ['http://hdl.handle.net/Lib/a%2Fb', true, ['a/b']],
    [`100.102/${GUID.toLowerCase()} `, false, [GUID]],
    [`100.102/${GUID}?x`, false, [GUID]],
    [`hdl:100.102/${GUID}%3Fx`, true, [GUID]],
    [`100.102/${GUID}%3Fx`, false, []],
    [`100.102/${GUID}0`, false, []],
  ])('%j are in this order', (text, isOneSegment, candidates) => {
    expect(namesOf(text, isOneSegment)).toEqual({ candidates, isTooLong: false });
  });

  it('have at most 8192 bytes', () => {
    expect(namesOf(`Lib/${'é'.repeat(4096)}`).isTooLong).toBe(false);
    expect(namesOf(`Lib/${'é'.repeat(4097)}`)).toEqual({ candidates: [], isTooLong: true });
    expect(namesOf(`Lib/x${' '.repeat(9000)}`)).toEqual({ candidates: ['x'], isTooLong: false });
    expect(namesOf(`100.102/${'0'.repeat(9000)}`).isTooLong).toBe(true);
  });
});
