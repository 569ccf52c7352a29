import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { namesInOwnUrl } from '../../src/finding/own-url.js';
import { withoutDelimiters } from '../../src/finding/names-in-text.js';
import { readInput } from '../../src/finding/read-input.js';
import { DEFAULT_RESOLVER, toResolver } from '@mintmark/identifier';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import type { NamingAuthority } from '../../src/registry/naming-authority.js';

const authority = (prefix: string, profile: NamingAuthority['profile']): NamingAuthority => ({
  ...{ prefix, profile, state: 'active', caseInsensitive: false, uuidVersion: 4, targetTemplate: null },
  ...{ storesHandleValues: false, sandbox: false, metadataIdScheme: 'recognized' },
  ...{ resolver: null, version: 1, createdAt: new Date(0), updatedAt: new Date(0) },
});
const known = new NamingAuthoritySnapshot(
  [authority('100.102', 'cordra'), authority('20.500', 'handle')],
  DEFAULT_RESOLVER,
);
const HOST = 'pid.example.org';
const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';

/** The search keys of an input, each as "address", "name", "guid" or "target" with its text. */
const searched = (input: string): string[] =>
  readInput(input, known, HOST).readings.map(({ searchKey: { address, guid, target }, canonical = '' }) => {
    if (target !== undefined) return `target ${target}`;
    if (guid !== undefined) return `guid ${guid}`;
    return `${address ? 'address' : 'name'} ${canonical}`;
  });

describe('a pasted text', () => {
  it.each([
    ['<hdl:1/a>', 'hdl:1/a'],
    ['"1/a"', '1/a'],
    ['"1/a."', '1/a'],
    ['"1/a".', '1/a'],
    ['„1/a“', '1/a'],
    ['«1/a»', '1/a'],
    [' <"1/a"> . ', '1/a'],
    ['(1/a)', '1/a'],
    ['(hdl:1/a).', 'hdl:1/a'],
    ['1/a..', '1/a.'],
    ['1/"a"b', '1/"a"b'],
    ['1/a(b)c', '1/a(b)c'],
    ['.1/a', '.1/a'],
    ['<>', ''],
    ['1/a', '1/a'],
  ])('%j is read without delimiters as %j', (text, expected) => {
    expect(withoutDelimiters(text)).toBe(expected);
  });
});

describe('an input of a look-up', () => {
  it.each([
    [`100.102/${GUID}`, [`address hdl:100.102/${GUID}`]],
    [GUID, [`name urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5`, `guid ${GUID}`]],
    ['demo:7', ['name info:fedora/demo:7']],
    ['(demo:7)', ['name info:fedora/demo:7']],
    ['20.500/a(b)', ['address hdl:20.500/a(b)', 'address hdl:20.500/a(b']],
    [`http://hdl.handle.net/100.102/${GUID}/`, [`address hdl:100.102/${GUID}`]],
    ['20.500/a (2026)', ['address hdl:20.500/a%20(2026)', 'address hdl:20.500/a%20(2026', 'address hdl:20.500/a']],
    ['hdl:20.500/a, 2026', ['address hdl:20.500/a,%202026', 'address hdl:20.500/a']],
    ['20.500/ a', ['address hdl:20.500/%20a', 'address hdl:20.500/a']],
    ['20.500/a\u200b', ['address hdl:20.500/a%E2%80%8B', 'address hdl:20.500/a']],
    ['20.500/a\u00adb', ['address hdl:20.500/a%C2%ADb', 'address hdl:20.500/ab']],
    [
      '20.500/a. Registered 2026-11-28. http://hdl.handle.net/20.500/a',
      [
        'address hdl:20.500/a.%20Registered%202026-11-28.%20http%3A//hdl.handle.net/20.500/a',
        'address hdl:20.500/a',
        'address hdl:20.500/a',
      ],
    ],
  ])('%j as it stands, then without delimiters, and then by its words, is searched as %j', (input, expected) => {
    const found = searched(input).filter((each) => !each.startsWith('target '));
    expect(found.map((each) => each.toLowerCase())).toEqual(expected.map((each) => each.toLowerCase()));
  });

  it('a URL of the service has the host of the request or of the configured resolver, but not of a public one', () => {
    const own = new NamingAuthoritySnapshot(known, toResolver({ scheme: 'https', authority: 'ids.example.org' }));
    const canonicals = (host: string, by: NamingAuthoritySnapshot) =>
      readInput(`https://${host}/identifiers/100.102/${GUID}`, by, HOST).readings.flatMap(
        ({ canonical }) => canonical ?? [],
      );
    expect(canonicals('ids.example.org', own)).toContain(`hdl:100.102/${GUID}`);
    expect(canonicals('ids.example.org', known)).toEqual([]);
    expect(canonicals('hdl.handle.net', known)).not.toContain(`hdl:100.102/${GUID}`);
  });

  it('a URL is searched as a target last, exactly as it stands', () => {
    expect(searched('https://repo.example.org/7/')).toEqual(['target https://repo.example.org/7/']);
    expect(searched(`https://${HOST}/identifiers/100.102/${GUID}`)).toEqual([
      `address hdl:100.102/${GUID}`,
      `target https://${HOST}/identifiers/100.102/${GUID}`,
    ]);
  });

  it.each([
    ['https://repo.example.org/7', null],
    ['https://hdl.handle.net/', null],
    [`100.102/${GUID}`, null],
    ['(demo:7)', null],
    ['no such thing', 'NOT_RECOGNIZED'],
    [`100.102/${GUID.slice(1)}`, 'INVALID_GUID'],
    [`http://hdl.handle.net/100.102/${GUID.slice(1)}`, 'INVALID_GUID'],
  ])('%j has the fault %j', (input, code) => {
    expect(readInput(input, known, HOST).fault?.code ?? null).toBe(code);
  });
});

describe('the URL of a resolver', () => {
  it.each(['https://hdl.handle.net/100.102%2F', 'http://hdl.handle.net/100.102%2f', 'https://hdl.handle.net/100.102/'])(
    'names an identifier with an escaped separator: %s',
    (start) => {
      expect(readInput(`${start}${GUID}`, known, HOST).canonical).toBe(`hdl:100.102/${GUID}`);
    },
  );

  it('keeps the escapes of a local name', () => {
    expect(readInput('https://hdl.handle.net/20.500/a%2Fb%25', known, HOST).canonical).toBe('hdl:20.500/a/b%25');
    expect(readInput('20.500/a%2Fb', known, HOST).canonical).toBe('hdl:20.500/a%252Fb');
  });
});

describe('a URL of the service', () => {
  it.each([
    [`http://${HOST}/identifiers/100.102/${GUID}`, HOST, `100.102/${GUID}`],
    [`https://PID.example.org:443/identifiers/100.102%2F${GUID}`, HOST, `100.102/${GUID}`],
    [`http://localhost:3000/identifiers/100.102/${GUID}/history`, '127.0.0.1:3000', `100.102/${GUID}`],
    [`http://[::1]:3000/identifiers/hdl%3A100.102%2F${GUID}?x#y`, 'localhost:3000', `hdl:100.102/${GUID}`],
    [`http://${HOST}/identifiers/20.500/a%2Fb%20c`, HOST, '20.500/a/b c'],
    [`http://${HOST}/identifiers/20.500/a%20`, HOST, 'hdl:20.500/a%20', '20.500/a '],
    [`http://${HOST}/20.500/a%20%00`, HOST, 'hdl:20.500/a'],
    [`http://${HOST}/20.500/a%20`, HOST, 'hdl:20.500/a%20', 'hdl:20.500/a'],
    [`http://${HOST}/hdl:20.500/a%2541`, HOST, 'hdl:20.500/a%2541'],
    [`http://${HOST}/hdl%3A20.500%2Fa%2541`, HOST, 'hdl:20.500/aA'],
    [`http://${HOST}/http:/${HOST}/20.500/a%3Fb`, HOST, 'hdl:20.500/a%3Fb'],
    [`http://${HOST}/100.102/${GUID}%20`, HOST, `100.102/${GUID}`],
    [`http://${HOST}/99.9/x%3F`, HOST, 'hdl:99.9/x%3F'],
    [`http://${HOST}/other/x`, HOST],
    [`http://${HOST}/20.500`, HOST],
    [`http://${HOST}/api%2F20.500%2Fa`, HOST],
    [`http://${HOST}/doi:100.102%2F${GUID}`, HOST, `100.102/${GUID}`],
    [`http://${HOST}/info:doi/100.102/${GUID}`, HOST, `100.102/${GUID}`],
    [`http://${HOST}/isbn:100.102%2F${GUID}`, HOST],
    [`http://${HOST}/identifiers/100.102/${GUID}/`, HOST],
    [`http://${HOST}/identifiers/20.500/a/b`, HOST],
    [`http://other.example.org/identifiers/100.102/${GUID}`, HOST],
    [`http://localhost:3001/identifiers/100.102/${GUID}`, 'localhost:3000'],
    [`http://localhost.example.org/identifiers/100.102/${GUID}`, 'localhost'],
    [`http://${HOST}/naming-authorities/100.102`, HOST],
    [`http://${HOST}/identifiers/20.500/%ff`, HOST],
    [`ftp://${HOST}/identifiers/100.102/${GUID}`, HOST],
    [`http://${HOST}/identifiers/100.102/${GUID}`, ''],
  ])('%j, for a request to %j, has the names %j, %j', (url, host, ...names) => {
    expect(namesInOwnUrl(url, known, [host])).toEqual(names);
  });
});
