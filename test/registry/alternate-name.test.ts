import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RESOLVER, normalize } from '@mintmark/identifier';
import { Problem } from '../../src/problem/problem.js';
import { claimOf, gainedBy } from '../../src/registry/alternate-name.js';
import { nameInCanonical } from '../../src/registry/canonical-name.js';
import { shownConflict } from '../../src/registry/conflict-problem.js';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import type { NamingAuthority } from '../../src/registry/naming-authority.js';
import { handleIn, metadataAuthority } from '../../src/registry/neighbor-uri.js';
import { readAlternates } from '../../src/registry/parse-names.js';

const GUID = '0C4AE1D3B9F24A1B8C7D6E5F4A3B2C1D';
const authority = (prefix: string, profile: NamingAuthority['profile'], caseInsensitive: boolean): NamingAuthority => ({
  ...{ prefix, state: 'active', profile, caseInsensitive, storesHandleValues: false, sandbox: false, uuidVersion: 4 },
  ...{ metadataIdScheme: 'recognized', targetTemplate: null, resolver: null, version: 1 },
  ...{ createdAt: new Date(0), updatedAt: new Date(0) },
});
const known = new NamingAuthoritySnapshot(
  [authority('100.102', 'cordra', false), authority('777', 'handle', false), authority('778', 'handle', true)],
  DEFAULT_RESOLVER,
);
const read = (...texts: string[]) => readAlternates(texts, known, '/alternateIds');

describe('the alternates that a record gets', () => {
  it('are those that it has in no spelling', () => {
    const record = { alternateIds: [`hdl:100.102/${GUID}`, 'hdl:778/AbC', 'hdl:777/AbC'] };
    const sent = read(`100.102/${GUID.toLowerCase()}`, '778/aBc', '777/aBc', 'info:fedora/demo:7', '777/AbC');
    expect(gainedBy(record, sent).map(({ name, index }) => [name.canonical, index])).toEqual([
      ['hdl:777/aBc', 2],
      ['info:fedora/demo:7', 3],
    ]);
  });
});

describe('the name that an alternate claims', () => {
  const record = { namingAuthority: '778', guid: null, localName: 'AbC' };

  it('is that of another identifier of this service', () => {
    const [guid, local] = read(`100.102/${GUID}`, '777/AbC').map((name) => claimOf(name, record));
    expect([guid?.namingAuthority, guid?.guid]).toEqual(['100.102', GUID]);
    expect([local?.namingAuthority, local?.guid]).toEqual(['777', null]);
    expect(claimOf(read('778/other')[0]!, record)?.namingAuthority).toBe('778');
  });

  it('is none for a name of others, and for the identifier itself', () => {
    const own = { namingAuthority: '100.102', guid: GUID, localName: GUID };
    expect(read('11858/x', 'info:fedora/demo:7', '778/aBc').map((name) => claimOf(name, record))).toEqual([
      null,
      null,
      null,
    ]);
    expect(claimOf(read(`100.102/${GUID}`)[0]!, own)).toBeNull();
    expect(claimOf(read('100.102/00000000000040008000000000000000')[0]!, own)?.guid).toBe(
      '00000000000040008000000000000000',
    );
  });
});

describe('a stored conflict', () => {
  const conflict = new Problem('ALTERNATE_ID_TAKEN', 'Used by 777/x.', {
    errors: [{ pointer: '/alternateIds/2', detail: 'is used by 777/x' }],
    members: { identifier: '777/x' },
  });

  it('names the holder only where the client sees it', () => {
    expect(shownConflict(conflict, { canSee: (prefix) => prefix === '777' })).toBe(conflict);
    const hidden = shownConflict(conflict, { canSee: () => false });
    expect(JSON.stringify([hidden.detail, hidden.extensions])).not.toContain('777');
    expect([hidden.code, hidden.extensions.errors?.[0]?.pointer]).toEqual(['ALTERNATE_ID_TAKEN', '/alternateIds/2']);
  });

  it('is no other result, and no problem without a holder', () => {
    const other = new Problem('INVALID_REQUEST', 'No.', {});
    expect(shownConflict(other, { canSee: () => false })).toBe(other);
    expect(shownConflict('minted', { canSee: () => false })).toBe('minted');
  });
});

describe('the naming authority of a stored name', () => {
  it('is known for Handles only', () => {
    expect(metadataAuthority('hdl:20.500/AbC', 'recognized')).toBe('20.500');
    expect(metadataAuthority('info:fedora/demo:7', 'recognized')).toBeNull();
    expect(metadataAuthority('hdl:20.500/AbC', 'any')).toBeNull();
    expect(handleIn('hdl:20.500/AbC%20d')).toEqual({ namingAuthority: '20.500', text: '20.500/AbC d' });
    expect(handleIn(`hdl:100.102/${GUID}?q`)).toEqual({ namingAuthority: '100.102', text: `100.102/${GUID}` });
    expect(handleIn('info:fedora/demo:7')).toBeNull();
  });

  it('is read from the letters that are stored', () => {
    const lower = nameInCanonical(`hdl:777/${GUID.toLowerCase()}`);
    expect(lower).toMatchObject({ type: 'handle', localName: GUID.toLowerCase() });
    expect(nameInCanonical(`hdl:777/${GUID}`)).toMatchObject({ type: 'cordra', guid: GUID });
    expect(nameInCanonical('report 7')).toBeNull();
  });
});

describe('what a client states about a text of normalize', () => {
  const resolver = { ...DEFAULT_RESOLVER };

  it('a stated resolver is the only one', () => {
    const stated = normalize('777/AbC', undefined, known.contextOf({ resolver }));
    expect(stated.valid && stated.uris.resolver).toBe('http://hdl.handle.net/777/AbC');
    expect(stated.kind).toBe('handle');
    expect(normalize('1.2/x', undefined, known.contextOf({ resolver })).valid).toBe(true);
  });
});
