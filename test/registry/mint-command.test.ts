import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RESOLVER } from '@mintmark/identifier';
import { Problem } from '../../src/problem/problem.js';
import { type MintRequest, canonicalMint, mintFingerprint, parseMintRequest } from '../../src/registry/mint-command.js';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';

const known = new NamingAuthoritySnapshot([], DEFAULT_RESOLVER);
const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
const LEASE = '2100-01-01T00:00:00Z';

const parse = (more: Partial<MintRequest> = {}) => parseMintRequest({ namingAuthority: '100.102', ...more }, known);

/** The code, the pointer and, for a malformed identifier, the offset of a rejection. */
function rejection(more: Partial<MintRequest>): unknown[] {
  try {
    parse(more);
  } catch (error) {
    if (error instanceof Problem) {
      const [fault] = error.extensions.errors ?? [];
      return [error.code, fault?.pointer, fault?.offset].filter((each) => each !== undefined);
    }
    throw error;
  }
  throw new Error('the request was accepted');
}

describe('a mint request', () => {
  it.each<[Partial<MintRequest>, string[]]>([
    [{ metadataId: 'a:1', onExisting: 'return' }, []],
    [{ alternateIds: [] }, ['alternateIds']],
    [{ leaseUntil: LEASE, state: 'reserved', target: 'https://a.example/' }, ['target', 'state', 'leaseUntil']],
    [
      { language: 'de', previousVersion: '100.102/A', alternateIds: ['a:1'] },
      ['language', 'alternateIds', 'previousVersion'],
    ],
  ])('%j has these members that an existing identifier can have with other values: %j', (request, members) => {
    expect(parse(request).sent).toEqual(members);
  });

  it('asks for a random active identifier by default', () => {
    expect(parse()).toEqual({
      namingAuthority: '100.102',
      metadata: null,
      mintMetadataId: false,
      metadataTarget: null,
      target: null,
      language: null,
      alternates: [],
      previousVersion: null,
      guid: null,
      localName: null,
      localNameStart: '',
      handleValues: null,
      leaseUntil: null,
      onExisting: 'match',
      sent: [],
    });
  });

  it('R-28: has canonical names, each alternate once', () => {
    const { metadata, alternates } = parse({
      metadataId: `hdl://100.102/${GUID.toLowerCase()}`,
      alternateIds: ['demo:7', 'info:fedora/demo:7', 'demo:8'],
    });
    expect(metadata?.canonical).toBe(`hdl:100.102/${GUID}`);
    expect(alternates.map(({ canonical }) => canonical)).toEqual(['info:fedora/demo:7', 'info:fedora/demo:8']);
  });

  it('leaves room for 32 minted digits behind the start of a local name', () => {
    expect(parse({ localNameStart: 'a'.repeat(8160) }).localNameStart).toHaveLength(8160);
    expect(rejection({ localNameStart: 'a'.repeat(8161) })).toEqual(['INVALID_REQUEST', '/localName']);
  });

  it('has a canonical form without defaults and in one order, because fingerprints of earlier requests are stored', () => {
    const sent = { guid: GUID.toLowerCase(), language: 'EN-gb', target: 'https://repo.example.org/1' };
    expect(JSON.stringify(canonicalMint(parse({ ...sent, onExisting: 'return', alternateIds: [] })))).toBe(
      `{"namingAuthority":"100.102","target":"https://repo.example.org/1","language":"en-GB","guid":"${GUID}","onExisting":"return"}`,
    );
    expect(
      JSON.stringify(
        canonicalMint(parse({ mintMetadataId: true, metadataTarget: 'https://a.example/', target: 'b:c' })),
      ),
    ).toBe('{"namingAuthority":"100.102","mintMetadataId":true,"metadataTarget":"https://a.example/","target":"b:c"}');
  });

  it('says how names were understood that are stored in another notation, and nothing of the others', () => {
    const { understood } = parse({
      metadataId: `2000.01/${GUID}`,
      alternateIds: ['demo:7', 'info:fedora/demo:8', 'hdl:7/a'],
      previousVersion: `hdl:2000.01/${GUID}`,
    });
    expect(understood).toEqual({
      '/metadataId': `hdl:2000.01/${GUID}`,
      '/alternateIds/0': 'info:fedora/demo:7',
    });
    expect(parse({ metadataId: 'info:fedora/demo:7' }).understood).toBeUndefined();
  });

  it.each(['isbn:9780000000000', 'ISSN:0000-0000', 'ark:12345', 'oai:1', 'https%3Aa', 'mailto:a', 'swh:1'])(
    'R-28: has no Fedora PID of the text %s, which has the scheme of others',
    (text) => {
      expect(rejection({ metadataId: text })).toEqual(['WRONG_SCHEME', '/metadataId', 0]);
      expect(rejection({ alternateIds: ['demo:7', ` ${text}`] })).toEqual(['WRONG_SCHEME', '/alternateIds/1', 1]);
      expect(rejection({ previousVersion: text })).toEqual(['WRONG_SCHEME', '/previousVersion', 0]);
    },
  );

  it('names the cures of a text that has the scheme of others', () => {
    const message = () => parse({ metadataId: 'isbn:9780000000000' });
    expect(message).toThrow('a Fedora PID of this namespace is written as info:fedora/isbn:9780000000000');
    expect(message).toThrow('was created with "metadataIdScheme": "any"');
    expect(parse({ metadataId: 'info:fedora/isbn:9780000000000' }).metadata?.canonical).toBe(
      'info:fedora/isbn:9780000000000',
    );
  });

  it.each([
    GUID.toLowerCase(),
    'urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5',
    '{f58fb49e-b1f8-48f0-a606-e84cef294be5}',
  ])('CID-14, R-05: has 32 upper-case digits of the GUID %s', (guid) => {
    expect(parse({ guid }).guid).toBe(GUID);
  });

  it('has the local name and the lease as they are', () => {
    const { localName, leaseUntil } = parse({ localName: 'Report/2026 é', state: 'reserved', leaseUntil: LEASE });
    expect([localName, leaseUntil]).toEqual(['Report/2026 é', new Date(LEASE)]);
  });

  it.each<[string, Partial<MintRequest>, (string | number)[]]>([
    ['two metadata IDs', { metadataId: 'demo:7', mintMetadataId: true }, ['INVALID_REQUEST', '/mintMetadataId']],
    [
      'a target of no metadata record',
      { metadataTarget: 'https://a.example/' },
      ['INVALID_REQUEST', '/metadataTarget'],
    ],
    ['two local names', { guid: GUID, localName: 'x' }, ['INVALID_REQUEST', '/localName']],
    [
      'a naming authority with an empty segment',
      { namingAuthority: '100..1' },
      ['INVALID_NAMING_AUTHORITY', '/namingAuthority', 4],
    ],
    ['a metadata ID in no form', { metadataId: '100.102' }, ['MISSING_SEPARATOR', '/metadataId', 7]],
    ['a metadata ID without naming authority', { metadataId: GUID }, ['MISSING_SEPARATOR', '/metadataId', 32]],
    ['a metadata ID over the limit', { metadataId: `1/${'é'.repeat(4000)}` }, ['INVALID_REQUEST', '/metadataId']],
    ['an alternate in no form', { alternateIds: ['demo:7', '100.102'] }, ['MISSING_SEPARATOR', '/alternateIds/1', 7]],
    ['a previous version in no form', { previousVersion: '100.102' }, ['MISSING_SEPARATOR', '/previousVersion', 7]],
    [
      'a previous version of a reservation',
      { state: 'reserved', leaseUntil: LEASE, previousVersion: 'demo:7' },
      ['INVALID_REQUEST', '/previousVersion'],
    ],
    ['a GUID with a digit too few', { guid: GUID.slice(1) }, ['INVALID_GUID', '/guid', 31]],
    ['R-11: an empty local name', { localName: '' }, ['EMPTY_LOCAL_NAME', '/localName', 0]],
    ['a local name over the limit in bytes', { localName: 'é'.repeat(4097) }, ['INVALID_REQUEST', '/localName']],
    ['CID-02: a local name with a control character', { localName: 'a\u0001' }, ['INVALID_CHARACTER', '/localName', 1]],
    ['a reservation without a lease', { state: 'reserved' }, ['INVALID_REQUEST', '/leaseUntil']],
    ['a lease without a reservation', { leaseUntil: LEASE }, ['INVALID_REQUEST', '/leaseUntil']],
    ['a lease on an active identifier', { state: 'active', leaseUntil: LEASE }, ['INVALID_REQUEST', '/leaseUntil']],
    [
      'a lease until a day that does not exist',
      { state: 'reserved', leaseUntil: '2100-02-30T00:00:00Z' },
      ['INVALID_REQUEST', '/leaseUntil'],
    ],
  ])('rejects %s', (_, more, expected) => {
    expect(rejection(more)).toEqual(expected);
  });
});

describe('the fingerprint of a mint request', () => {
  const fingerprint = (more: Partial<MintRequest> = {}) => mintFingerprint(parse(more));

  it.each<[string, Partial<MintRequest>, Partial<MintRequest>]>([
    ['defaults', {}, { mintMetadataId: false, state: 'active', onExisting: 'match', alternateIds: [] }],
    [
      'notations of a metadata ID',
      { metadataId: `100.102/${GUID}` },
      { metadataId: `hdl:100.102/${GUID.toLowerCase()}` },
    ],
    [
      'notations of a previous version',
      { previousVersion: `100.102/${GUID}` },
      { previousVersion: `hdl:100.102/${GUID.toLowerCase()}` },
    ],
    ['notations of a GUID', { guid: GUID }, { guid: GUID.toLowerCase() }],
    [
      'notations of a time',
      { state: 'reserved', leaseUntil: LEASE },
      { state: 'reserved', leaseUntil: '2100-01-01T01:00:00+01:00' },
    ],
    ['R-15: the case of a naming authority', { namingAuthority: '100.ark' }, { namingAuthority: '100.ARK' }],
  ])('is the same for %s', (_, one, other) => {
    expect(fingerprint(one)).toBe(fingerprint(other));
  });

  it.each<[string, Partial<MintRequest>]>([
    ['a metadata ID', { metadataId: 'demo:7' }],
    ['a minted metadata ID', { mintMetadataId: true }],
    ['the target of a minted metadata record', { mintMetadataId: true, metadataTarget: 'https://a.example/' }],
    ['a target', { target: 'https://a.example/' }],
    ['an alternate', { alternateIds: ['demo:7'] }],
    ['a previous version', { previousVersion: 'demo:7' }],
    ['a GUID', { guid: GUID }],
    ['a local name', { localName: GUID }],
    ['a lease', { state: 'reserved', leaseUntil: LEASE }],
    ['another naming authority', { namingAuthority: '100.103' }],
    ['the rejection of an existing metadata ID', { onExisting: 'reject' }],
    ['the update of an existing metadata ID', { onExisting: 'update' }],
  ])('differs for %s', (_, more) => {
    expect(fingerprint(more)).not.toBe(fingerprint());
  });

  it.each([
    ['of which one is another', ['demo:7', 'demo:9']],
    ['in another order', ['demo:8', 'demo:7']],
    ['of which one is missing', ['demo:7']],
  ])('differs for alternates %s', (_, alternateIds) => {
    expect(fingerprint({ alternateIds })).not.toBe(fingerprint({ alternateIds: ['demo:7', 'demo:8'] }));
  });

  it('differs for an update that removes all alternates', () => {
    expect(fingerprint({ onExisting: 'update', alternateIds: [] })).not.toBe(fingerprint({ onExisting: 'update' }));
  });
});

describe('the fingerprint of a mint of a Handle', () => {
  const value = {
    index: 1,
    type: 'URL',
    data: { format: 'string' as const, value: 'https://a.example/' },
    ttl: 86_400,
  };
  const stored = (timestamp: string) => [{ ...value, permissions: '1110', timestamp }];
  const fingerprint = (more: Partial<MintRequest>) => mintFingerprint(parse(more));

  it('contains the start of the name and the values, without the time of the request', () => {
    const first = fingerprint({ handleValues: stored('2026-11-22T04:29:43Z') });
    expect(fingerprint({ handleValues: stored('2026-11-22T04:29:44Z') })).toBe(first);
    const other = { ...stored('2026-11-22T04:29:43Z')[0]!, data: { format: 'string' as const, value: 'x' } };
    expect(fingerprint({ handleValues: [other] })).not.toBe(first);
    expect(fingerprint({ handleValues: [] })).not.toBe(first);
    expect(fingerprint({})).not.toBe(first);
    expect(fingerprint({ localNameStart: 'pre-' })).not.toBe(fingerprint({}));
    expect(fingerprint({ localNameStart: '' })).toBe(fingerprint({}));
  });
});
