import { describe, expect, it } from '@jest/globals';
import { canonicalUri, comparisonKey, normalize, recognize, toResolver } from '../../packages/identifier/src/index.js';

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
const guid = GUID.toLowerCase();
const resolver = toResolver({ scheme: 'http', authority: 'arrow.resolver.au.gov:2641', firstSegment: 'hdl' });

/** Pasted texts: input, kind, canonical URI of the name. */
const PASTED: readonly (readonly [string, string, string])[] = [
  // CORDRA identifiers
  [`100.102/${guid}`, 'cordra', `hdl:100.102/${GUID}`],
  [`\n\t 100.102/${GUID}  \r\n`, 'cordra', `hdl:100.102/${GUID}`],
  [`\u00a0100.102/${GUID}\u3000`, 'cordra', `hdl:100.102/${GUID}`],
  [`100.102/${guid}?a=%7e#b`, 'cordra', `hdl:100.102/${GUID}?a=~#b`],
  [`doi:100.102/${guid}`, 'cordra', `hdl:100.102/${GUID}`],
  // Handles
  ['10.1045/april2006-paskin', 'handle', 'hdl:10.1045/april2006-paskin'],
  ['loc.mbrsmi/amrlv.4002', 'handle', 'hdl:loc.mbrsmi/amrlv.4002'],
  ['0.NA/100.102', 'handle', 'hdl:0.NA/100.102'],
  ['10.1000/456#789', 'handle', 'hdl:10.1000/456%23789'],
  ['10.1000:x/y', 'handle', 'hdl:10.1000%3Ax/y'],
  ['doi:10.1000/1', 'handle', 'hdl:10.1000/1'],
  ['DOI: 10.1000/a%20b', 'handle', 'hdl:10.1000/a%2520b'],
  [`100.102/${GUID}/`, 'handle', `hdl:100.102/${GUID}/`],
  // hdl URIs
  [`HDL:100.102/${guid}`, 'hdl-uri', `hdl:100.102/${GUID}`],
  [`hdl://100.102/${guid}?v=2`, 'hdl-uri', `hdl:100.102/${GUID}?v=2`],
  [`hdl:100.102/${guid}%3Fv=2`, 'hdl-uri', `hdl:100.102/${GUID}?v=2`],
  [`hdl://190.12.34.56/${guid}`, 'hdl-uri', `hdl:190.12.34.56/${GUID}`],
  ['hdl:1234/a/b', 'hdl-uri', 'hdl:1234/a/b'],
  ['hdl:1234/a%2Fb', 'hdl-uri', 'hdl:1234/a/b'],
  ['HDL: 10.1/x', 'hdl-uri', 'hdl:10.1/x'],
  [`hdl:\u00a0\n100.102/${guid}`, 'hdl-uri', `hdl:100.102/${GUID}`],
  ['hdl:1:2/a@b', 'hdl-uri', 'hdl:1%3A2/a%40b'],
  ['hdl://190.12.34.56/1234/567', 'hdl-uri', 'hdl:190.12.34.56/1234/567'],
  ['hdl:1234/', 'hdl-uri', 'hdl:1234/'],
  ['hdl:1234/a?x#y', 'hdl-uri', 'hdl:1234/a'],
  ['hdl:86.1000/数字', 'hdl-uri', 'hdl:86.1000/%E6%95%B0%E5%AD%97'],
  // info URIs
  [`info:hdl/100.102/${guid}`, 'info-hdl', `hdl:100.102/${GUID}`],
  [`INFO:HDL/100.102/${guid}%3Fv=2`, 'info-hdl', `hdl:100.102/${GUID}?v=2`],
  [`info:hdl/100.102/${guid}#f`, 'info-hdl', `hdl:100.102/${GUID}`],
  ['info:hdl/1234/a/b', 'info-hdl', 'hdl:1234/a/b'],
  ['info:fedora/demo%3a1', 'fedora-uri', 'info:fedora/demo:1'],
  ['info:fedora/demo:1/DC', 'fedora-dissemination', 'info:fedora/demo:1/DC'],
  ['info:fedora/demo:1/résumé', 'fedora-dissemination', 'info:fedora/demo:1/r%C3%A9sum%C3%A9'],
  ['info:fedora/demo:1/demo:S/m?b=/&a=1', 'fedora-dissemination', 'info:fedora/demo:1/demo:S/m?a=1&b=/'],
  // resolver URLs
  [`http://hdl.handle.net/100.102/${guid}`, 'http-uri', `hdl:100.102/${GUID}`],
  [`https://hdl.handle.net:443/100.102/${guid}`, 'http-uri', `hdl:100.102/${GUID}`],
  ['HTTPS://DOI.org/10.1000/456%23789', 'http-uri', 'hdl:10.1000/456%23789'],
  ['http://dx.doi.org/10.1000/a/b', 'http-uri', 'hdl:10.1000/a/b'],
  ['<https://doi.org/10.1/x>', 'http-uri', 'hdl:10.1/x'],
  [' < doi:10.1/x > ', 'handle', 'hdl:10.1/x'],
  [
    'https://doi.org/10.1002/(SICI)1096(1996)101:2<1::AID>3.0',
    'http-uri',
    'hdl:10.1002/(SICI)1096(1996)101%3A2%3C1%3A%3AAID%3E3.0',
  ],
  ['https://doi.org/10.1016/0378(95)[1]', 'http-uri', 'hdl:10.1016/0378(95)%5B1%5D'],
  ['doi.org/10.1000/1', 'http-uri', 'hdl:10.1000/1'],
  [`HDL.handle.net/100.102/${guid}`, 'http-uri', `hdl:100.102/${GUID}`],
  [`http://arrow.resolver.au.gov:2641/hdl/100.102/${guid}`, 'http-uri', `hdl:100.102/${GUID}`],
  [`https://arrow.resolver.au.gov:2641/hdl/100.102/${guid}`, 'http-uri', `hdl:100.102/${GUID}`],
  [`arrow.resolver.au.gov:2641/hdl/100.102/${guid}`, 'http-uri', `hdl:100.102/${GUID}`],
  [`https://hdl.handle.net/100.102/${guid}%3Fx`, 'http-uri', `hdl:100.102/${GUID}?x`],
  ['https://doi.org/doi:10.5555/x', 'http-uri', 'hdl:10.5555/x'],
  ['doi.org/DOI:10.5555/a:b', 'http-uri', 'hdl:10.5555/a%3Ab'],
  ['https://doi.org/doi: 10.5555/x', 'http-uri', 'hdl:10.5555/x'],
  ['HTTPS://doi.org/doi: 10.5555/x', 'http-uri', 'hdl:10.5555/x'],
  ['https://doi.org/doi%3a10.5555/doi:x/y', 'http-uri', 'hdl:10.5555/doi%3Ax/y'],
  ['https://doi.org/info:doi/10.5555/x', 'http-uri', 'hdl:10.5555/x'],
  [`https://hdl.handle.net/hdl:100.102/${guid}?v=2`, 'http-uri', `hdl:100.102/${GUID}?v=2`],
  [`https://hdl.handle.net/hdl://100.102/${guid}`, 'http-uri', `hdl:100.102/${GUID}`],
  [`https://hdl.handle.net/info:hdl/100.102/${guid}`, 'http-uri', `hdl:100.102/${GUID}`],
  [`http://arrow.resolver.au.gov:2641/hdl/hdl:100.102/${guid}`, 'http-uri', `hdl:100.102/${GUID}`],
  [`https://hdl.handle.net/api/handles/100.102/${guid}`, 'http-uri', `hdl:100.102/${GUID}`],
  ['https://hdl.handle.net/hdl/100.102', 'http-uri', 'hdl:hdl/100.102'],
  ['https://hdl.handle.net/20.5/hdl:x', 'http-uri', 'hdl:20.5/hdl%3Ax'],
  // Fedora PIDs and UUIDs
  ['demo:1', 'fedora-pid', 'info:fedora/demo:1'],
  ['demo%3A1', 'fedora-pid', 'info:fedora/demo:1'],
  ['100:1', 'fedora-pid', 'info:fedora/100:1'],
  [guid, 'uuid', 'urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5'],
  ['{F58FB49E-B1F8-48F0-A606-E84CEF294BE5}', 'uuid', 'urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5'],
  ['urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5', 'uuid', 'urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5'],
];

it.each([
  ['', 'the text is empty; expected an identifier, for example NA/GUID, hdl:NA/local or demo:1'],
  ['abc', '"abc" is not an identifier; expected an identifier, for example NA/GUID, hdl:NA/local or demo:1'],
])('%j is refused in a sentence', (text, detail) => {
  expect(recognize(text)).toMatchObject({ ok: false, fault: { code: 'NOT_RECOGNIZED', detail } });
});

describe('recognition without a kind (R-28)', () => {
  it.each(PASTED)('reads %j as %s and stores it as %s', (input, kind, uri) => {
    const read = recognize(input, { resolver });
    expect(read.ok ? [read.value.kind, canonicalUri(read.value.name)] : read.fault).toEqual([kind, uri]);
  });

  it.each(PASTED)('parses its own text for %j as the same name, without repairs', (input) => {
    const first = normalize(input, undefined, { resolver });
    if (!first.valid) throw new Error(first.fault.detail);
    const second = normalize(first.normalized, undefined, { resolver });
    expect(second).toMatchObject({ kind: first.kind, normalized: first.normalized, repairs: [] });
    const stored = recognize(canonicalUri(first.name));
    expect(stored.ok && comparisonKey(stored.value.name)).toBe(comparisonKey(first.name));
  });

  it('prefers a CORDRA identifier to the Handle that it also is', () => {
    expect(recognize(`100.102/${GUID}`)).toMatchObject({ value: { name: { type: 'cordra' } } });
    expect(recognize(`100.102/${GUID}0`)).toMatchObject({ value: { name: { type: 'handle' } } });
  });

  it('admits characters beyond UCS-2 only on demand', () => {
    expect(recognize('hdl:1/%F0%9F%98%80')).toMatchObject({ fault: { code: 'NOT_UCS2', offset: 6 } });
    expect(recognize('hdl:1/%F0%9F%98%80', { charset: 'unicode' }).ok).toBe(true);
  });
});

/** Texts that are not identifiers: input, most similar kind, code, offset in the original text. */
const REFUSED: readonly (readonly [string, string | null, string, number])[] = [
  ['', null, 'NOT_RECOGNIZED', 0],
  ['   ', null, 'NOT_RECOGNIZED', 3],
  [' hello ', null, 'NOT_RECOGNIZED', 1],
  ['100.102', 'cordra', 'MISSING_SEPARATOR', 7],
  ['10.ABC', 'handle', 'MISSING_SEPARATOR', 6],
  [`100.102%2F${GUID}`, 'handle', 'MISSING_SEPARATOR', 42],
  ['/x', 'handle', 'INVALID_NAMING_AUTHORITY', 0],
  ['see 1234/5', 'handle', 'INVALID_NAMING_AUTHORITY', 3],
  ['1..2/x', 'handle', 'INVALID_NAMING_AUTHORITY', 2],
  ['  1/a\u202eb', 'handle', 'INVALID_CHARACTER', 5],
  ['hdl:1234', 'hdl-uri', 'MISSING_SEPARATOR', 8],
  [' hdl:1/%4', 'hdl-uri', 'INVALID_PERCENT_ENCODING', 7],
  ['hdl:1/a\tb', 'hdl-uri', 'INVALID_CHARACTER', 7],
  ['info:doi/10.1/2', 'info-hdl', 'WRONG_NAMESPACE', 5],
  ['info:hdl/1/2?x', 'info-hdl', 'UNEXPECTED_QUERY', 12],
  ['info:fedora/demo', 'fedora-uri', 'INVALID_PID', 16],
  ['info:fedora/demo:1/1DS', 'fedora-dissemination', 'INVALID_DATASTREAM_ID', 19],
  ['demo:1/DC', 'fedora-pid', 'INVALID_PID', 6],
  ['demo:a b', 'fedora-pid', 'INVALID_PID', 6],
  ['ftp://example.org/1/2', 'http-uri', 'WRONG_SCHEME', 0],
  [`https://example.org/1/${GUID}`, 'http-uri', 'AUTHORITY_MISMATCH', 8],
  ['https://doi.org/10.1000%2F1', 'http-uri', 'SEGMENT_COUNT', 27],
  ['  doi.org/10.1000', 'http-uri', 'SEGMENT_COUNT', 17],
  ['https://doi.org/10.1000/', 'http-uri', 'EMPTY_LOCAL_NAME', 24],
  ['https://u@doi.org/10.1/2', 'http-uri', 'INVALID_AUTHORITY', 8],
  ['https://doi.org/doi:10..1/x', 'http-uri', 'INVALID_NAMING_AUTHORITY', 23],
  ['doi: 10.1000', 'handle', 'MISSING_SEPARATOR', 12],
  ['hdl: 1/%4', 'hdl-uri', 'INVALID_PERCENT_ENCODING', 7],
  [' <hdl: 1/%4>', 'hdl-uri', 'INVALID_PERCENT_ENCODING', 9],
  ['(https://doi.org/10.1/x)', 'http-uri', 'WRONG_SCHEME', 0],
  ['<<https://doi.org/10.1/x>>', 'http-uri', 'WRONG_SCHEME', 0],
  ['urn:isbn:0395363411', 'uuid', 'WRONG_NAMESPACE', 4],
  [GUID.slice(1), 'uuid', 'INVALID_UUID', 31],
  ['{F58FB49E}', 'uuid', 'INVALID_UUID', 9],
];

it.each(['\ud800', '\udc00/', `${'x'.repeat(56)}\u{1f600}xxx`, 'info:\ud800/x', 'a\ud800://x'])(
  'the detail for %j can be written as UTF-8',
  (text) => {
    const read = recognize(text);
    expect(read.ok || read.fault.detail.isWellFormed()).toBe(true);
  },
);

describe('the resolver of an HTTP URI without a context', () => {
  it('is the default one, by which the text is read', () => {
    const read = normalize('http://hdl.handle.net/10.1/x', 'http-uri');
    expect(read).toMatchObject({ uris: { resolver: 'http://hdl.handle.net/10.1/x' } });
    expect(read.valid && read.unavailable).not.toHaveProperty('resolver');
    expect(normalize('10.1/x', 'handle')).toMatchObject({ uris: { resolver: null } });
  });
});

describe('refusals without a kind', () => {
  it.each(REFUSED)('%j is most similar to %s: %s at %d', (input, kind, code, offset) => {
    const read = normalize(input);
    expect(read.valid ? read : [read.kind, read.fault.code, read.fault.offset]).toEqual([kind, code, offset]);
  });
});
