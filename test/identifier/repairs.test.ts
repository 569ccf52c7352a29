import { describe, expect, it } from '@jest/globals';
import * as id from '../../packages/identifier/src/index.js';

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
const guid = GUID.toLowerCase();
const resolver = { scheme: 'http', authority: 'hdl.handle.net' };

type Row = readonly [input: string, kind: id.Kind | undefined, context: id.Context, repairs: readonly string[]];

const ROWS: readonly Row[] = [
  [`1/${GUID}?a=%C3#b`, 'cordra', {}, []],
  [`1/${guid}`, 'cordra', {}, ['GUID_UPPERCASED']],
  [`1/${guid}?%c3#%41`, 'cordra', {}, ['GUID_UPPERCASED', 'ESCAPE_UPPERCASED', 'ESCAPE_DECODED']],
  ['1/A b', 'handle', {}, []],
  [`HDL:1/${GUID}`, 'hdl-uri', {}, ['SCHEME_LOWERCASED']],
  ['hdl:1/a%2fb', 'hdl-uri', { profile: 'generic' }, ['ESCAPE_UPPERCASED']],
  ['hdl:1/a%3ab', 'hdl-uri', { profile: 'generic' }, ['ESCAPE_DECODED']],
  ['hdl:1/a%3Ab', 'hdl-uri', { profile: 'handle-scheme' }, []],
  ['hdl://a%3Ab/c', 'hdl-uri', { profile: 'generic' }, []],
  ['hdl:1/a:b@c', 'hdl-uri', { profile: 'handle-scheme' }, ['ESCAPE_ADDED']],
  ['hdl:1/a%2Fb', 'hdl-uri', { profile: 'handle-scheme' }, ['ESCAPE_DECODED']],
  ['hdl:1/a?%7e', 'hdl-uri', { profile: 'handle-scheme' }, ['ESCAPE_DECODED']],
  [
    'hdl://H:/1/a',
    'hdl-uri',
    { profile: 'handle-scheme', hdlAuthority: 'server' },
    ['HOST_LOWERCASED', 'DEFAULT_PORT_DROPPED'],
  ],
  [
    `HTTP://HDL.handle.net:80/1/${guid}`,
    'http-uri',
    { resolver },
    ['SCHEME_LOWERCASED', 'HOST_LOWERCASED', 'DEFAULT_PORT_DROPPED', 'GUID_UPPERCASED'],
  ],
  ['Info:Hdl/1/%7e', 'info-hdl', {}, ['SCHEME_LOWERCASED', 'NAMESPACE_LOWERCASED', 'ESCAPE_DECODED']],
  ['demo%3a%ff', 'fedora-pid', {}, ['ESCAPE_UPPERCASED', 'SEPARATOR_DECODED']],
  ['info:fedora/d:1/d:2/m?b=1&a=%7E', 'fedora-dissemination', {}, ['ESCAPE_DECODED', 'PARAMS_SORTED']],
  ['info:fedora/d:1/%c3%a9', 'fedora-dissemination', {}, ['ESCAPE_UPPERCASED']],
  [
    'urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5',
    'uuid',
    {},
    ['GUID_UPPERCASED', 'URN_PREFIX_REMOVED', 'HYPHENS_REMOVED'],
  ],
  ['{F58FB49E-B1F8-48F0-A606-E84CEF294BE5}', 'uuid', {}, ['BRACES_REMOVED', 'HYPHENS_REMOVED']],
  [' 1/a ', undefined, {}, ['WHITESPACE_TRIMMED']],
  ['HDL: 10.1/x', undefined, {}, ['WHITESPACE_TRIMMED', 'SCHEME_LOWERCASED']],
  ['hdl:10.1000/a%3Ab', undefined, {}, []],
  ['hdl:10.1000/a:b', undefined, {}, ['ESCAPE_ADDED']],
  ['hdl:10.1000/a%2Fb', undefined, {}, ['ESCAPE_DECODED']],
  ['hdl:a:b/c', undefined, {}, ['ESCAPE_ADDED']],
  ['<https://doi.org/10.1/x>', undefined, {}, ['BRACKETS_REMOVED']],
  ['< doi:10.1/x >', undefined, {}, ['WHITESPACE_TRIMMED', 'BRACKETS_REMOVED', 'DOI_PREFIX_REMOVED']],
  ['doi:10.1/a', undefined, {}, ['DOI_PREFIX_REMOVED']],
  [`hdl.handle.net/1/${guid}`, undefined, {}, ['SCHEME_ADDED', 'GUID_UPPERCASED']],
  ['https://doi.org/doi:10.1/a', undefined, {}, ['SCHEME_REMOVED']],
  ['https://doi.org/10.1/a/é', undefined, {}, ['ESCAPE_ADDED', 'SLASH_ESCAPED']],
];

/** In the order in which they are listed. */
const ALL = [
  ...['WHITESPACE_TRIMMED', 'BRACKETS_REMOVED', 'DOI_PREFIX_REMOVED', 'SCHEME_ADDED', 'SCHEME_REMOVED'],
  ...['SCHEME_LOWERCASED', 'NAMESPACE_LOWERCASED'],
  ...['HOST_LOWERCASED', 'DEFAULT_PORT_DROPPED', 'GUID_UPPERCASED', 'ESCAPE_UPPERCASED', 'ESCAPE_DECODED'],
  ...['ESCAPE_ADDED', 'SLASH_ESCAPED', 'SEPARATOR_DECODED', 'PARAMS_SORTED', 'URN_PREFIX_REMOVED'],
  ...['BRACES_REMOVED', 'HYPHENS_REMOVED'],
];

describe('repairs', () => {
  it.each(ROWS)('%j as %s in %j needs %j', (input, kind, context, repairs) => {
    const found = id.normalize(input, kind, context);
    expect(found.valid ? found.repairs : found.fault).toEqual(repairs);
  });

  it('are all shown above', () => {
    const shown = new Set(ROWS.flatMap(([, , , repairs]) => repairs));
    expect(ALL.filter((code) => !shown.has(code))).toEqual([]);
  });

  it('are listed once each, in the order of the published list', () => {
    expect(id.REPAIR_CODES).toEqual(ALL);
  });

  it('are a frozen list, and texts without repairs share one', () => {
    const [one, other] = [id.parseHandle('1/a'), id.parseHandle('1/b')];
    expect(one.ok && other.ok && one.repairs === other.repairs && Object.isFrozen(one.repairs)).toBe(true);
    const braced = id.parseUuid('{f58fb49e-b1f8-48f0-a606-e84cef294be5}');
    expect(braced).toMatchObject({ repairs: ['GUID_UPPERCASED', 'BRACES_REMOVED', 'HYPHENS_REMOVED'] });
    expect(braced.ok && Object.isFrozen(braced.repairs)).toBe(true);
  });
});
