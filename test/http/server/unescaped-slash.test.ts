import { describe, expect, it } from '@jest/globals';
import { hintFor, joinIdentifierSegments } from '../../../src/http/server/unescaped-slash.js';

describe('a raw slash in /identifiers/{identifier}', () => {
  it.each([
    ['/identifiers/1.2/ABC', '/identifiers/1.2%2FABC'],
    ['/identifiers/1.2/ABC?x=/y', '/identifiers/1.2%2FABC?x=/y'],
    ['/identifiers/1.2/ABC/uris', '/identifiers/1.2%2FABC/uris'],
    ['/identifiers/1.2/uris', '/identifiers/1.2%2Furis'],
    ['http://127.0.0.1:3000/identifiers/1.2/ABC', '/identifiers/1.2%2FABC'],
  ])('is escaped for the router: %s', (url, joined) => {
    expect(joinIdentifierSegments(url)).toBe(joined);
  });

  it.each([
    '/identifiers',
    '/identifiers/',
    '/identifiers?metadataId=1/2',
    '/identifiers/1.2%2FABC',
    '/identifiers/1.2%2fABC/uris',
    '/identifiers/hdl%3A1.2%2FABC/uris',
    '/identifiers/demo:1/uris',
    '/identifiers/1.2/a/b',
    '/identifiers/1.2/a/uris/b',
    '/normalize/1/2',
    '/identifiers/f58fb49eb1f848f0a606e84cef294be5/uris',
  ])('is unchanged where there is nothing to escape: %s', (url) => {
    expect(joinIdentifierSegments(url)).toBe(url);
  });

  it('is no part of a path that is posted to: an action ends it', () => {
    expect(joinIdentifierSegments('/identifiers/n/withdraw', 'POST')).toBe('/identifiers/n/withdraw');
    expect(joinIdentifierSegments('/identifiers/1.2/ABC/withdraw', 'POST')).toBe('/identifiers/1.2%2FABC/withdraw');
  });
});

describe('the rejection of an unknown path', () => {
  it.each([
    ['/identifiers/1.2/ABC/', 'Leave out the slash'],
    ['/identifiers/1.2/ABC/?x=1', 'Leave out the slash'],
    ['/identifiers/doi:1.2/ABC', '/identifiers/hdl:NA%2Flocal'],
    ['/identifiers/hdl%3A1.2/ABC/history', '/identifiers/hdl:NA%2Flocal'],
    ['/identifiers/1.2/a/b', '/identifiers/NA/a%2Fb'],
  ])('has a hint for %s', (target, hint) => {
    expect(hintFor(target)).toContain(hint);
  });

  it.each(['/identifierz/', '/identifiers/1.2%2FABC?x=1/', '/naming-authorities/1.2/'])('has none for %s', (target) => {
    expect(hintFor(target)).toBe('');
  });
});
