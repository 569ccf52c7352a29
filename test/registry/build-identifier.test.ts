import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RESOLVER } from '@mintmark/identifier';
import { buildIdentifier } from '../../src/registry/build-identifier.js';
import { type MintRequest, parseMintRequest } from '../../src/registry/mint-command.js';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import type { NamingAuthority } from '../../src/registry/naming-authority.js';
import { GuidGenerator } from '../../src/registry/uuid.js';
import { GUID, KNOWN } from '../records.js';

const [CORDRA] = KNOWN.all() as [NamingAuthority];
const HANDLE: NamingAuthority = { ...CORDRA, prefix: '20.500', profile: 'handle' };
const known = new NamingAuthoritySnapshot([CORDRA, HANDLE], DEFAULT_RESOLVER);

/** Mints GUIDs that end with 1, 2, 3 and so on. */
class CountingGuids extends GuidGenerator {
  private count = 0;
  override next(): string {
    return `00000000-0000-4000-8000-00000000000${(this.count += 1)}`;
  }
}
const minted = (count: number): string => `0000000000004000800000000000000${count}`;

function build(request: Partial<MintRequest> = {}, authority: NamingAuthority = CORDRA) {
  const command = parseMintRequest({ namingAuthority: authority.prefix, ...request }, known);
  return buildIdentifier(
    command,
    { actor: { client: 'c', keyId: null }, request: null },
    authority,
    known,
    new CountingGuids(),
  );
}

describe('an identifier to mint', () => {
  it('CID-11: has a generated GUID, and no key of its own to compare with a metadata ID', () => {
    const identifier = build();
    expect(identifier.address).toMatchObject({ namingAuthority: '100.102', guid: minted(1), localKey: null });
    expect(identifier).toMatchObject({ localName: minted(1), selfKey: null, metadataRecord: null });
  });

  it('has the attributes of the request in canonical form', () => {
    const { metadata, target, alternates } = build({
      metadataId: 'demo:7',
      target: 'https://a.example/7',
      alternateIds: ['demo:8'],
    });
    expect(metadata?.canonical).toBe('info:fedora/demo:7');
    expect(target).toBe('https://a.example/7');
    expect(alternates.map(({ canonical }) => canonical)).toEqual(['info:fedora/demo:8']);
  });

  it('CID-24: has the identifier of its metadata record, which has a GUID of its own', () => {
    const { metadata, metadataRecord } = build({ mintMetadataId: true });
    expect(metadata?.canonical).toBe(`hdl:100.102/${minted(2)}`);
    expect(metadataRecord).toMatchObject({ localName: minted(2), address: { guid: minted(2) }, target: null });
  });

  it('has a metadata record with its own target, without that of the template', () => {
    const authority: NamingAuthority = { ...CORDRA, targetTemplate: 'https://repo.example.org/{localName}' };
    const target = 'https://repo.example.org/records/7';
    const { metadataRecord, ...object } = build({ mintMetadataId: true, metadataTarget: target }, authority);
    expect([object.target, metadataRecord?.target]).toEqual([`https://repo.example.org/${minted(1)}`, target]);
    expect(build({ mintMetadataId: true }, authority).metadataRecord?.target).toBeNull();
  });

  it('is reserved with its lease', () => {
    const leaseUntil = new Date('2999-01-01T00:00:00.000Z');
    const request = { state: 'reserved', leaseUntil: leaseUntil.toISOString(), mintMetadataId: true } as const;
    const identifier = build(request);
    expect(identifier.leaseUntil).toEqual(leaseUntil);
    expect(identifier.metadata?.canonical).toBe(`hdl:100.102/${minted(2)}`);
  });

  it('is rejected with a lease in the past', () => {
    expect(() => build({ state: 'reserved', leaseUntil: '2001-01-01T00:00:00Z' })).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        detail: '/leaseUntil: 2001-01-01T00:00:00.000Z is in the past',
        extensions: { errors: [{ pointer: '/leaseUntil', detail: '2001-01-01T00:00:00.000Z is in the past' }] },
      }),
    );
  });

  it('has the target of the template of its naming authority, unless it has another', () => {
    const authority = { ...CORDRA, targetTemplate: 'https://a.example/{guid}' };
    expect(build({}, authority).target).toBe(`https://a.example/${minted(1)}`);
    expect(build({ target: 'https://b.example/' }, authority).target).toBe('https://b.example/');
    expect(build({ handleValues: [] }, authority).target).toBeNull();
  });

  it('has the start of its local name before the GUID', () => {
    expect(build({ localNameStart: 'pre-' }, HANDLE).localName).toBe(`pre-${minted(1)}`);
  });

  it('has the previous version that the request names', () => {
    const previousVersion = {
      canonical: 'hdl:77.7/a',
      key: '9ee5739a-8d80-cc91-d861-50c156305617',
      keyFoldsCase: false,
      needsHandle: true,
    };
    expect(build({ previousVersion: 'hdl:77.7/a' }).previousVersion).toEqual(previousVersion);
    expect(build().previousVersion).toBeUndefined();
  });

  it('has no minted metadata ID where metadata IDs are texts of the client', () => {
    const authority: NamingAuthority = { ...CORDRA, metadataIdScheme: 'any' };
    expect(() => build({ mintMetadataId: true }, authority)).toThrow(
      expect.objectContaining({ code: 'WRONG_METADATA_ID_SCHEME' }),
    );
    expect(build({ metadataId: 'demo:7' }, authority).metadata?.canonical).toBe('info:fedora/demo:7');
  });
});

describe('an identifier to register', () => {
  it('has the given GUID and its key', () => {
    const identifier = build({ guid: GUID });
    expect(identifier).toMatchObject({ localName: GUID, address: { guid: GUID } });
    const read = known.readName(`hdl:100.102/${GUID}`);
    expect(read.ok && read.value.key).toBe(identifier.selfKey);
  });

  it('has the given local name under the profile "handle"', () => {
    const { address, localName, selfKey } = build({ localName: 'Report 7' }, HANDLE);
    expect(localName).toBe('Report 7');
    expect(selfKey).not.toBeNull();
    expect(address).toEqual({
      ...{ namingAuthority: '20.500', guid: null, comparison: 'Report 7', foldsCase: false },
      localKey: 'dbd4e7f3-f2b2-bd9e-137b-9fefba17c370',
    });
  });

  it('CID-24: is rejected as its own metadata ID', () => {
    expect(() => build({ guid: GUID, metadataId: `hdl:100.102/${GUID.toLowerCase()}` })).toThrow(
      expect.objectContaining({
        code: 'METADATA_ID_IS_IDENTIFIER',
        extensions: { errors: [expect.objectContaining({ pointer: '/metadataId' })] },
      }),
    );
  });

  it('is rejected under the name of a Handle user, and as its own previous version', () => {
    const authority = { ...HANDLE, handleUsers: new Set(['ADMIN']) };
    expect(() => build({ localName: 'ADMIN' }, authority)).toThrow(
      expect.objectContaining({ code: 'IDENTIFIER_TAKEN' }),
    );
    expect(build({ localName: 'ADMINS' }, authority).localName).toBe('ADMINS');
    expect(() => build({ guid: GUID, previousVersion: `100.102/${GUID}` })).toThrow(
      expect.objectContaining({ code: 'INVALID_PREDECESSOR' }),
    );
  });

  it.each<[string, NamingAuthority, Partial<MintRequest>, string, RegExp]>([
    ['a local name under "cordra"', CORDRA, { localName: 'x' }, '/localName', /under 100\.102 are GUIDs/],
    [
      'the start of a local name under "cordra"',
      CORDRA,
      { localNameStart: 'x' },
      '/localName',
      /under 100\.102 are GUIDs/,
    ],
    ['a GUID under "handle"', HANDLE, { guid: GUID }, '/guid', /under 20\.500 are not GUIDs/],
  ])('CID-10: is rejected with %s', (_, authority, request, pointer, detail) => {
    expect(() => build(request, authority)).toThrow(
      expect.objectContaining({
        code: 'WRONG_PROFILE',
        detail: expect.stringMatching(detail),
        extensions: { errors: [{ pointer, detail: expect.stringMatching(detail) }] },
      }),
    );
  });
});

describe('a generated GUID', () => {
  it.each([1, 4, 7] as const)('R-06: has the version %i and is not generated twice', (version) => {
    const [one, other] = [new GuidGenerator().next(version), new GuidGenerator().next(version)];
    expect(one[14]).toBe(String(version));
    expect(one).not.toBe(other);
  });
});
