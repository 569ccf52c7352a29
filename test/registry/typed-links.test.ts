import { describe, expect, it } from '@jest/globals';
import { linkHeaderOf } from '../../src/http/headers/links.js';
import { DEFAULT_RESOLVER, toResolver, urisOf } from '@mintmark/identifier';
import { identifierOf } from '../../src/registry/identifier-record.js';
import { neighborHandleUri, neighborUri } from '../../src/registry/neighbor-uri.js';
import { identifierLinksOf, identifierLinksetOf, linksetOf, typedLinksOf } from '../../src/registry/typed-links.js';
import { GUID, recordWith } from '../records.js';

const RECORD = recordWith({
  metadataId: 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA',
  describes: ['20.500/a/b', '20.500/c'],
});
const URIS = urisOf(identifierOf(RECORD), { resolver: DEFAULT_RESOLVER });
const URLS = { record: `/identifiers/100.102/${GUID}`, history: `/identifiers/100.102/${GUID}/history` };

describe('the typed links of a record', () => {
  it('are those of FAIR Signposting, and the history of RFC 5829', () => {
    expect(linkHeaderOf(typedLinksOf(RECORD, URIS, URLS))).toBe(
      [
        `<http://hdl.handle.net/100.102/${GUID}>; rel="cite-as"`,
        '<http://hdl.handle.net/2000.01/A3D8BE7457C943FFB66ED4583059A8BA>; rel="describedby"',
        '<https://schema.org/AboutPage>; rel="type"',
        `<${URLS.record}>; rel="linkset"; type="application/linkset+json"`,
        `<${URLS.history}>; rel="version-history"; type="application/json"`,
      ].join(', '),
    );
  });

  it('RFC 5829: are the previous and the newer versions too, in this order and after all others', () => {
    const versions = { previousVersion: 'hdl:77.7/a%20b', newerVersions: ['20.500/v/2', `100.102/${GUID}`] };
    const links = typedLinksOf(recordWith(versions), URIS, URLS).slice(-3);
    expect(links).toEqual([
      { rel: 'predecessor-version', href: 'http://hdl.handle.net/77.7/a%20b' },
      { rel: 'successor-version', href: 'http://hdl.handle.net/20.500/v%2F2' },
      { rel: 'successor-version', href: `http://hdl.handle.net/100.102/${GUID}` },
    ]);
    expect(
      typedLinksOf(recordWith({ previousVersion: 'info:fedora/demo:7' }), URIS, null).map(({ rel }) => rel),
    ).toEqual(['cite-as', 'type']);
  });

  it('have no history where it is hidden, and no metadata record where there is none', () => {
    const relations = typedLinksOf(recordWith(), URIS, { ...URLS, history: null }).map(({ rel }) => rel);
    expect(relations).toEqual(['cite-as', 'type', 'linkset']);
  });

  it('have no link to the service where it does not serve the record as JSON', () => {
    const relations = typedLinksOf(RECORD, URIS, null).map(({ rel }) => rel);
    expect(relations).toEqual(['cite-as', 'describedby', 'type']);
  });

  it('R-34: have no persistent identifier where the name has no HTTP URI', () => {
    const record = recordWith({ namingAuthority: '20.500', localName: '..', guid: null });
    const uris = urisOf(identifierOf(record), { resolver: DEFAULT_RESOLVER });
    expect(typedLinksOf(record, uris, URLS).map(({ rel }) => rel)).not.toContain('cite-as');
  });

  it('stay below 7,168 characters in a header, the persistent identifier first', () => {
    const long = { ...URIS, resolver: `http://hdl.handle.net/20.500/${'x'.repeat(7000)}` };
    const header = linkHeaderOf(typedLinksOf(RECORD, long, URLS)) ?? '';
    expect(header).toMatch(/^<http:\/\/hdl\.handle\.net\/20\.500\/x+>; rel="cite-as"/);
    expect(header.length).toBeLessThan(7168);
  });

  it('are at most as long as is said, with the separators', () => {
    const links = ['a', 'b'].map((rel) => ({ rel, href: '/1' }));
    expect(linkHeaderOf(links, 28)).toBe('</1>; rel="a", </1>; rel="b"');
    expect(linkHeaderOf(links, 27)).toBe('</1>; rel="a"');
    expect(linkHeaderOf(links, 12)).toBeUndefined();
  });
});

describe('the typed links of an identifier itself', () => {
  const tombstone = {
    ...{ withdrawnAt: new Date(0), reasonCode: 'other' as const, reason: 'Old.', replacedBy: '20.500/2' },
  };

  it('start with its link set, and have nothing of a page', () => {
    expect(identifierLinksOf(RECORD, URIS, 'recognized')).toEqual([
      { rel: 'linkset', href: `/100.102/${GUID}`, type: 'application/linkset+json' },
      { rel: 'describedby', href: 'http://hdl.handle.net/2000.01/A3D8BE7457C943FFB66ED4583059A8BA' },
    ]);
    const own = toResolver({ scheme: 'https', authority: 'a:8443', firstSegment: 'hdl' });
    const [first] = identifierLinksOf(RECORD, urisOf(identifierOf(RECORD), { resolver: own }), 'recognized');
    expect(first?.href).toBe(`/hdl/100.102/${GUID}`);
  });

  it('have the replacement of a withdrawn one before the versions', () => {
    const record = recordWith({ tombstone, previousVersion: 'hdl:20.500/0', newerVersions: ['20.500/1', '20.500/2'] });
    expect(identifierLinksOf(record, URIS, 'recognized').slice(1)).toEqual([
      { rel: 'http://purl.org/dc/terms/isReplacedBy', href: 'http://hdl.handle.net/20.500/2' },
      { rel: 'predecessor-version', href: 'http://hdl.handle.net/20.500/0' },
      { rel: 'successor-version', href: 'http://hdl.handle.net/20.500/1' },
      { rel: 'successor-version', href: 'http://hdl.handle.net/20.500/2' },
    ]);
  });

  it('are in a link set with its target, if it is not withdrawn', () => {
    const target = 'https://repo.example.org/7';
    const setOf = (members: object) => identifierLinksetOf(recordWith({ target, ...members }), URIS, 'recognized');
    const anchor = `http://hdl.handle.net/100.102/${GUID}`;
    expect(setOf({ describes: ['20.500/c'] })).toEqual({
      linkset: [{ anchor, item: [{ href: target }], describes: [{ href: 'http://hdl.handle.net/20.500/c' }] }],
    });
    const successor = [{ href: 'http://hdl.handle.net/20.500/2' }];
    expect(setOf({ tombstone })).toEqual({ linkset: [{ anchor, 'http://purl.org/dc/terms/isReplacedBy': successor }] });
  });

  it('R-34: have no link set where the name has no HTTP URI, and a URI of the name as the context of theirs', () => {
    const record = recordWith({ namingAuthority: '20.500', localName: '..', guid: null });
    const uris = urisOf(identifierOf(record), { resolver: DEFAULT_RESOLVER });
    expect(identifierLinksOf(record, uris, 'recognized')).toEqual([]);
    expect(identifierLinksetOf(record, uris, 'recognized')).toEqual({ linkset: [{ anchor: 'hdl:20.500/..' }] });
  });
});

describe('the link set of a record', () => {
  it('RFC 9264 4.2: is one context with an array for each relation', () => {
    const urls = {
      record: 'https://id.example.org/identifiers/x',
      history: 'https://id.example.org/identifiers/x/history',
    };
    expect(linksetOf(RECORD, URIS, urls)).toEqual({
      linkset: [
        {
          anchor: 'https://id.example.org/identifiers/x',
          'cite-as': [{ href: `http://hdl.handle.net/100.102/${GUID}` }],
          describedby: [{ href: 'http://hdl.handle.net/2000.01/A3D8BE7457C943FFB66ED4583059A8BA' }],
          type: [{ href: 'https://schema.org/AboutPage' }],
          'version-history': [{ href: 'https://id.example.org/identifiers/x/history', type: 'application/json' }],
          describes: [{ href: 'http://hdl.handle.net/20.500/a%2Fb' }, { href: 'http://hdl.handle.net/20.500/c' }],
        },
      ],
    });
  });

  it('has the metadata record of an opaque metadata ID where it is a URL, and no other', () => {
    const contextOf = (metadataId: string) => linksetOf(recordWith({ metadataId }), URIS, URLS, 'any').linkset[0];
    expect(contextOf('https://repo.example.org/7')?.describedby).toEqual([{ href: 'https://repo.example.org/7' }]);
    expect(contextOf('hdl:2000.01/x')).not.toHaveProperty('describedby');
  });
});

describe('the URI of another name at the resolver of a record', () => {
  const own = toResolver({ scheme: 'https', authority: 'id.example.org:8443', firstSegment: 'hdl' });
  const uris = urisOf(identifierOf(recordWith({ namingAuthority: '20.500', localName: 'ä/b?c', guid: null })), {
    resolver: own,
  });

  it.each([
    ['hdl:10.1045/april2006-paskin', 'https://id.example.org:8443/hdl/10.1045/april2006-paskin'],
    ['hdl:1234/a/b%3Ac', 'https://id.example.org:8443/hdl/1234/a%2Fb:c'],
    ['info:fedora/demo:7', null],
    ['urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6', null],
  ])('of %s is %s', (canonical, uri) => {
    expect(neighborUri(uris, canonical)).toBe(uri);
  });

  it('is made of a native text, also of one that reads as something else', () => {
    expect(neighborHandleUri(uris, 'hdl:x/y')).toBe('https://id.example.org:8443/hdl/hdl:x/y');
    expect(neighborHandleUri(uris, '20.500/..')).toBeNull();
  });
});
