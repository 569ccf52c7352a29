import { describe, expect, it } from '@jest/globals';
import { needsValuesAsMinted, resolveConflicts } from '../../src/minting/resolve-conflicts.js';
import { Problem } from '../../src/problem/problem.js';
import type { IdentifierRecord } from '../../src/registry/identifier-record.js';
import type { MintCommand } from '../../src/registry/mint-command.js';
import type { Conflicts } from '../../src/storage/identifiers/conflict-finder.js';

const name = (canonical: string) => ({
  canonical,
  comparison: canonical,
  rule: 'exact' as const,
  key: canonical,
  keyFoldsCase: null,
  needsHandle: false,
});

const MINT: MintCommand = {
  namingAuthority: '100.102',
  metadata: name('hdl:1/m'),
  mintMetadataId: false,
  metadataTarget: null,
  target: null,
  language: null,
  alternates: [name('info:fedora/a:1')],
  previousVersion: null,
  guid: null,
  localName: null,
  localNameStart: '',
  handleValues: null,
  leaseUntil: null,
  onExisting: 'return',
  sent: [],
};
const REGISTER_GUID: MintCommand = { ...MINT, guid: 'F58FB49EB1F848F0A606E84CEF294BE5' };
const REGISTER_NAME: MintCommand = { ...MINT, localName: 'report' };

/** A record with a metadata ID and an alternate: one without them has lost them with its lease. */
const record = (id: bigint, more: Partial<IdentifierRecord> = {}) =>
  ({
    ...{ id, namingAuthority: '100.102', localName: `n${id}`, guid: null },
    ...{ state: 'active', tombstone: null },
    ...{ metadataId: 'hdl:1/m', alternateIds: ['info:fedora/a:1'], ...more },
  }) as IdentifierRecord;

const [ONE, TWO] = [record(1n), record(2n)];
const EXPIRED = record(3n, { metadataId: null, alternateIds: [] });

const NONE: Conflicts = {
  metadata: null,
  address: null,
  alternate: null,
  claim: null,
  registered: null,
  collision: null,
  hasStandby: false,
};
const EVERYTHING = { canSee: () => true, curates: () => true, hides: () => false };
const ALTERNATE = { alternate: { record: ONE, index: 4 } };

/** `null`, the code and pointer of a problem, or the outcome and the ID of its record. */
function resolved(conflicts: Partial<Conflicts>, command = MINT) {
  const result = resolveConflicts({ ...NONE, ...conflicts }, command, EVERYTHING);
  if (result === null) return null;
  if (result instanceof Problem) return [result.code, result.extensions.errors?.[0]?.pointer];
  return [result.outcome, Number(result.record.id)];
}

const METADATA_TAKEN = ['METADATA_ID_TAKEN', '/metadataId'];

describe('a mint that was not inserted', () => {
  it.each<[string, Partial<Conflicts>, MintCommand, unknown]>([
    ['is tried again where nothing is in conflict any more', {}, MINT, null],
    ['is tried again with another GUID where a generated one exists', { address: ONE }, MINT, null],
    ['must update it with onExisting update', { metadata: ONE }, { ...MINT, onExisting: 'update' }, ['toUpdate', 1]],
    ['returns the identifier with its metadata ID', { metadata: ONE }, MINT, ['existing', 1]],
    [
      'fails for a metadata ID with onExisting reject',
      { metadata: ONE },
      { ...MINT, onExisting: 'reject' },
      METADATA_TAKEN,
    ],
    [
      'fails where it registers another GUID than the one with its metadata ID',
      { metadata: ONE },
      REGISTER_GUID,
      METADATA_TAKEN,
    ],
    [
      'fails where its GUID and its metadata ID are of two',
      { metadata: ONE, address: TWO },
      REGISTER_GUID,
      METADATA_TAKEN,
    ],
    [
      'fails where its local name and its metadata ID are of two',
      { metadata: ONE, address: TWO },
      REGISTER_NAME,
      METADATA_TAKEN,
    ],
    [
      'returns the one that has both its GUID and its metadata ID',
      { metadata: ONE, address: ONE },
      REGISTER_GUID,
      ['existing', 1],
    ],
    ['fails for a registered GUID', { address: ONE }, REGISTER_GUID, ['GUID_TAKEN', '/guid']],
    ['fails for a registered local name', { address: ONE }, REGISTER_NAME, ['IDENTIFIER_TAKEN', '/localName']],
    ['fails for a used alternate', ALTERNATE, MINT, ['ALTERNATE_ID_TAKEN', '/alternateIds/4']],
    ['fails for the key of another name', { collision: '/metadataId' }, MINT, ['KEY_COLLISION', '/metadataId']],
    [
      'updates no other identifier than the one that it registers',
      { metadata: ONE, address: TWO },
      { ...REGISTER_GUID, onExisting: 'update' },
      METADATA_TAKEN,
    ],
    ['tells of the metadata ID before the alternate', { metadata: ONE, ...ALTERNATE }, MINT, ['existing', 1]],
    ['tells of the GUID before the alternate', { address: ONE, ...ALTERNATE }, REGISTER_GUID, ['GUID_TAKEN', '/guid']],
    [
      'tells of the alternate where only a generated GUID exists too',
      { address: ONE, ...ALTERNATE },
      MINT,
      ['ALTERNATE_ID_TAKEN', '/alternateIds/4'],
    ],
    ['is tried again where an expired reservation had its metadata ID', { metadata: EXPIRED }, MINT, null],
    [
      'is tried again where an expired reservation had its alternate',
      { alternate: { record: EXPIRED, index: 0 } },
      MINT,
      null,
    ],
    [
      'is tried again for an expired reservation before another conflict is told',
      { metadata: EXPIRED, address: ONE },
      REGISTER_GUID,
      null,
    ],
  ])('%s', (_, conflicts, command, expected) => {
    expect(resolved(conflicts, command)).toEqual(expected);
  });

  it('returns the existing identifier with the members in which they differ', () => {
    const existing = record(1n, { target: 'https://a.example/', previousVersion: null });
    const command: MintCommand = { ...MINT, target: 'https://b.example/', sent: ['target', 'previousVersion'] };
    expect(resolveConflicts({ ...NONE, metadata: existing }, command, EVERYTHING)).toMatchObject({
      ignored: ['target'],
    });
  });

  it.each<[string, Partial<MintCommand>, Partial<IdentifierRecord>, string[]]>([
    ['nothing where all members agree', { target: 'https://a.example/', sent: ['target'] }, {}, []],
    [
      'a member that contradicts it',
      { target: 'https://b.example/', sent: ['target'] },
      {},
      ['/metadataId', '/target'],
    ],
    ['another GUID', { guid: 'F58FB49EB1F848F0A606E84CEF294BE5' }, {}, ['/metadataId', '/guid']],
    ['another local name', { localName: 'report' }, {}, ['/metadataId', '/localName']],
    [
      'only the metadata ID of a withdrawn one',
      { target: 'https://b.example/', sent: ['target'] },
      {
        state: 'withdrawn',
        tombstone: { withdrawnAt: new Date(0), reasonCode: 'other', reason: 'x', replacedBy: null },
      },
      ['/metadataId'],
    ],
  ])('is told of with onExisting match: %s', (_, more, of, pointers) => {
    const existing = record(1n, { target: 'https://a.example/', state: 'active', tombstone: null, ...of });
    const command: MintCommand = { ...MINT, ...more, onExisting: 'match' };
    const result = resolveConflicts({ ...NONE, metadata: existing }, command, EVERYTHING);
    const errors = result instanceof Problem ? (result.extensions.errors ?? []) : [];
    expect(errors.map(({ pointer }) => pointer)).toEqual(pointers);
    expect(JSON.stringify(errors)).not.toContain('a.example');
  });

  it.each<[boolean, string, Partial<MintCommand>, Partial<IdentifierRecord>]>([
    [true, 'of a match whose values differ', {}, {}],
    [false, 'of a match whose values agree', { target: 'https://a.example/' }, {}],
    [false, 'of an identifier that has not changed', {}, { version: 1 }],
    [false, 'of one that is withdrawn', {}, { state: 'withdrawn' }],
    [false, 'for another rule', { onExisting: 'return' }, {}],
  ])('needs the values as minted: %j for those %s', (isNeeded, _, more, of) => {
    const existing = record(1n, { target: 'https://a.example/', state: 'active', version: 2, ...of });
    const command: MintCommand = {
      ...MINT,
      target: 'https://b.example/',
      sent: ['target'],
      onExisting: 'match',
      ...more,
    };
    expect(needsValuesAsMinted(command, existing)).toBe(isNeeded);
  });

  it.each<[string, Partial<Conflicts>, MintCommand, unknown]>([
    ['a GUID that an alternate claims', { claim: ONE }, REGISTER_GUID, ['ALTERNATE_ID_TAKEN', '/guid']],
    ['a local name that an alternate claims', { claim: ONE }, REGISTER_NAME, ['ALTERNATE_ID_TAKEN', '/localName']],
    [
      'an alternate that is registered',
      { registered: { record: ONE, index: 2 } },
      MINT,
      ['ALTERNATE_ID_TAKEN', '/alternateIds/2'],
    ],
  ])('fails for %s', (_, conflicts, command, expected) => {
    expect(resolved(conflicts, command)).toEqual(expected);
  });

  it('is tried again where an expired reservation claims its name', () => {
    expect(resolved({ claim: EXPIRED }, REGISTER_GUID)).toBeNull();
  });

  it('does not name the holder of a claim that the client cannot see', () => {
    const reader = { ...EVERYTHING, canSee: () => false };
    const problem = resolveConflicts({ ...NONE, claim: ONE }, REGISTER_GUID, reader);
    expect(JSON.stringify(problem)).toContain('ALTERNATE_ID_TAKEN');
    expect(JSON.stringify(problem)).not.toContain('100.102/n1');
    expect((problem as Problem).extensions.headers).toBeUndefined();
  });

  it.each<[string, Partial<Conflicts>, MintCommand, boolean]>([
    ['a metadata ID that it may return', { metadata: ONE }, MINT, false],
    ['a metadata ID that it may update', { metadata: ONE }, { ...MINT, onExisting: 'update' }, false],
    ['an alternate', ALTERNATE, MINT, false],
    ['a claim', { claim: ONE }, REGISTER_NAME, false],
    ['its name', { address: ONE }, REGISTER_NAME, true],
    ['an alternate that is its name', { registered: { record: ONE, index: 2 } }, MINT, true],
  ])('names a holder whose values are hidden by its name only: %s', (_, conflicts, command, isNamed) => {
    const result = resolveConflicts({ ...NONE, ...conflicts }, command, { ...EVERYTHING, hides: () => true });
    expect(result).toBeInstanceOf(Problem);
    expect(JSON.stringify((result as Problem).extensions).includes('100.102/n1')).toBe(isNamed);
  });

  it('links the identifier that a conflict is with', () => {
    const problem = resolveConflicts({ ...NONE, address: ONE }, REGISTER_NAME, EVERYTHING);
    expect(problem).toMatchObject({ extensions: { members: { identifier: '100.102/n1' } } });
  });
});
