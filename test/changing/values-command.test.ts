import { describe, expect, it } from '@jest/globals';
import { OPEN_ACCESS } from '../../src/access/principal.js';
import { decide } from '../../src/changing/curation-command.js';
import {
  type ValuesStep,
  decideValues,
  metadataIdIn,
  parsePut,
  valuesContent,
  withStoredValues,
} from '../../src/changing/values-command.js';
import { HandleFault } from '../../src/handle/values/index.js';
import { DEFAULT_RESOLVER } from '@mintmark/identifier';
import { Problem } from '../../src/problem/problem.js';
import type { IdentifierRecord } from '../../src/registry/identifier-record.js';
import type { NamingAuthority } from '../../src/registry/naming-authority.js';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import type { StoredValue } from '../../src/registry/stored-value.js';
import { GUID, authorityWith, recordWith } from '../records.js';

const AT = new Date('2026-11-22T04:29:43Z');
const THEN = '2020-01-01T00:00:00Z';
const TARGET = 'https://a.example/';
const NEW = 'https://b.example/';
const METADATA = 'info:fedora/demo:7';
const value = (index: number, type: string, text: unknown, members: Partial<StoredValue> = {}): StoredValue => ({
  ...{ index, type, data: { format: 'string', value: text }, ttl: 60, permissions: '1110', timestamp: THEN },
  ...members,
});
const [URL_1, NEW_1, EMAIL_2] = [value(1, 'URL', TARGET), value(1, 'URL', NEW), value(2, 'EMAIL', 'a')];

type Put = Extract<ValuesStep, { step: 'put' }>['put'];
const put = (values: StoredValue[], more: Partial<Put> = {}): ValuesStep => ({
  step: 'put',
  put: { values, indexes: null, overwrite: true, ...more },
});
type Written = Parameters<typeof valuesContent>[0];
const removed = (...indexes: number[]): ValuesStep => ({ step: 'removed', indexes });
const knownWith = (authority: Partial<NamingAuthority>) =>
  new NamingAuthoritySnapshot([authorityWith(authority)], DEFAULT_RESOLVER);

/** The response code of a fault, or the code and the pointer of a problem. */
function rejectionOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (error instanceof HandleFault) return error.responseCode;
    if (error instanceof Problem) return [error.code, error.extensions.errors?.[0]?.pointer];
    throw error;
  }
  return null;
}

/** What a write changes: metadata IDs as their texts. */
function decided(members: Partial<IdentifierRecord>, command: ValuesStep, authority: Partial<NamingAuthority> = {}) {
  const known = knownWith(authority);
  const step = command.step === 'put' ? parsePut(command.put, known) : command;
  const amendment = decideValues(recordWith(members), step, { at: AT, known });
  if (amendment?.metadata === undefined || amendment.metadata === null) return amendment;
  return { ...amendment, metadata: amendment.metadata.canonical };
}

const SANDBOX = { sandbox: true, target: TARGET };
const tombstone = {
  withdrawnAt: AT,
  reasonCode: 'deleted' as const,
  reason: 'The Handle was deleted.',
  replacedBy: null,
};
const DELETED = { sandbox: true, state: 'withdrawn' as const, tombstone };
const WITHDRAWN = { ...DELETED, target: TARGET, tombstone: { ...tombstone, reasonCode: 'other' as const } };

describe('a write of the stored metadata ID in another notation', () => {
  const [stored, other] = ['hdl:10.1234/abc', 'https://doi.org/10.1234/ABC'];
  const metadataId = (text: string) => [URL_1, value(7, 'METADATA_ID', text)];

  it.each([
    [{}, null],
    [{ profile: 'handle', storesHandleValues: true }, metadataId(stored)],
  ] as const)('is no change: %j', (authority, handleValues) => {
    const members = { metadataId: stored, target: TARGET, handleValues };
    expect(decided(members, put(metadataId(other)), authority)).toBeNull();
  });

  it('has the same fingerprint', () => {
    const contentOf = (text: string) =>
      valuesContent(parsePut({ values: metadataId(text), indexes: null, overwrite: true }, knownWith({})) as Written);
    expect(contentOf(other)).toEqual(contentOf(stored));
    expect(contentOf('hdl:10.1234/abd')).not.toEqual(contentOf(stored));
  });
});

describe('a write under a naming authority that stores no values', () => {
  const record = { target: TARGET, metadataId: METADATA };

  it.each([
    ['another URL', put([NEW_1]), { target: NEW }],
    ['a URL at another index', put([value(5, 'url', NEW)]), { target: NEW }],
    ['another URL alone', put([NEW_1], { indexes: [1] }), { target: NEW }],
    ['all values without a URL', put([]), { target: null }],
    [
      'another metadata ID',
      put([URL_1, value(101, 'METADATA_ID', 'demo:8')]),
      {
        ...{ target: TARGET, metadata: 'info:fedora/demo:8' },
      },
    ],
    ['the removal of the URL', removed(1), { target: null }],
    ['the removal of the metadata ID', removed(101), { target: TARGET, metadata: null }],
  ])('of %s changes the record', (_, command, change) => {
    expect(decided(record, command)).toEqual({ kind: 'changed', ...change });
  });

  it.each([
    ['the same URL', put([URL_1])],
    ['the same metadata ID in another notation', put([URL_1, value(7, 'METADATA_ID', 'demo:7')])],
    ['an administrator', put([URL_1, value(100, 'HS_ADMIN', 'x')])],
    ['the removal of the administrator', removed(100)],
  ])('of %s changes nothing', (_, command) => {
    expect(decided(record, command)).toBeNull();
  });

  it.each([
    ['a value of another type', put([URL_1, EMAIL_2]), 4],
    ['a second URL', put([URL_1, value(2, 'URL', NEW)]), 4],
    ['a second URL beside the stored one', put([value(2, 'URL', NEW)], { indexes: [2] }), 4],
    ['a URL that is not http', put([value(1, 'URL', 'ftp://a.example/')]), 4],
    ['a record that exists and is not to be replaced', put([NEW_1], { overwrite: false }), 101],
    ['a value that exists and is not to be replaced', put([NEW_1], { indexes: 'various', overwrite: false }), 201],
    ['other values than the indexes name', put([NEW_1], { indexes: [2] }), 4],
    ['the removal of a value that does not exist', removed(1, 3), 200],
    ['its deletion', { step: 'deleted' } as const, 400],
    [
      'the identifier as its own metadata ID',
      put([value(101, 'METADATA_ID', `100.102/${GUID}`)]),
      [...['METADATA_ID_IS_IDENTIFIER', '/values']],
    ],
    ['a metadata ID that is none', put([value(101, 'METADATA_ID', 'a b')]), ['NOT_RECOGNIZED', '/values']],
  ])('of %s is rejected', (_, command, rejection) => {
    expect(rejectionOf(() => decided(record, command))).toEqual(rejection);
  });
});

describe('a write under a naming authority that stores values', () => {
  const decidedStored = (record: object, command: ValuesStep) => decided(record, command, { storesHandleValues: true });
  const handleValues = [URL_1, EMAIL_2];

  it.each([
    ['all values', put([NEW_1]), { target: NEW, handleValues: [NEW_1] }],
    ['no values', put([]), { target: null, handleValues: [] }],
    [
      'one value',
      put([value(9, 'X', 'c')], { indexes: [9] }),
      {
        ...{ target: TARGET, handleValues: [URL_1, EMAIL_2, value(9, 'X', 'c')] },
      },
    ],
    [
      'a second URL of a higher index',
      put([value(3, 'URL', NEW)], { indexes: 'various' }),
      {
        ...{ target: TARGET, handleValues: [URL_1, EMAIL_2, value(3, 'URL', NEW)] },
      },
    ],
    [
      'a URL that is not http, without a target',
      put([value(1, 'URL', 'ftp://a.example/')], { indexes: [1] }),
      {
        ...{ target: null, handleValues: [value(1, 'URL', 'ftp://a.example/'), EMAIL_2] },
      },
    ],
    ['the removal of the URL', removed(1), { target: null, handleValues: [EMAIL_2] }],
    [
      'a metadata ID, in its canonical form',
      put([URL_1, value(7, 'METADATA_ID', 'demo:7')]),
      {
        ...{ target: TARGET, metadata: METADATA, handleValues: [URL_1, value(7, 'METADATA_ID', METADATA)] },
      },
    ],
  ])('of %s changes the target and the values', (_, command, change) => {
    expect(decidedStored({ target: TARGET, handleValues }, command)).toEqual({ kind: 'changed', ...change });
  });

  it('of values that differ in their times alone changes nothing', () => {
    const later = handleValues.map((each) => ({ ...each, timestamp: '2026-11-22T04:29:43Z' }));
    expect(decidedStored({ target: TARGET, handleValues }, put(later))).toBeNull();
    const longer = later.map((each) => ({ ...each, ttl: 61 }));
    expect(decidedStored({ target: TARGET, handleValues }, put(longer))?.kind).toBe('changed');
  });
});

describe('a write of a record that is not active', () => {
  it('changes a reserved one and rejects a withdrawn one', () => {
    const reserved = { state: 'reserved' as const, leaseUntil: new Date('2099-01-01') };
    expect(decided(reserved, put([NEW_1]))).toEqual({ kind: 'changed', target: NEW });
    for (const command of [put([NEW_1]), put([NEW_1], { indexes: [1] }), removed(1), { step: 'deleted' } as const])
      expect(rejectionOf(() => decided(WITHDRAWN, command))).toEqual(['WRONG_STATE', undefined]);
    const outside = { ...DELETED, sandbox: false };
    expect(rejectionOf(() => decided(outside, put([NEW_1])))).toEqual(['WRONG_STATE', undefined]);
  });

  it('deletes those of a sandbox with their values, reserved and active ones', () => {
    const nothing = {
      metadata: null,
      alternates: [],
      target: null,
      language: null,
      previousVersion: null,
      handleValues: null,
    };
    for (const state of ['reserved', 'active'] as const)
      expect(decided({ ...SANDBOX, state }, { step: 'deleted' })).toEqual({
        ...{ kind: 'deleted', state: 'withdrawn', ...nothing, leaseUntil: null },
        tombstone: { withdrawnAt: AT, reasonCode: 'deleted', reason: 'The Handle was deleted.', replacedBy: null },
      });
  });

  it('registers a deleted one again, also without values and where existing ones are not to be replaced', () => {
    const reinstated = { kind: 'reinstated', state: 'active', tombstone: null };
    expect(decided(DELETED, put([NEW_1], { overwrite: false }))).toEqual({ ...reinstated, target: NEW });
    expect(decided(DELETED, put([]))).toEqual({ ...reinstated, target: null });
    expect(decided(DELETED, put([EMAIL_2]), { storesHandleValues: true })).toEqual({
      ...{ ...reinstated, target: null, handleValues: [EMAIL_2] },
    });
  });

  it('does not register a deleted one again under a suspended naming authority', () => {
    const rejection = ['SUSPENDED_NAMING_AUTHORITY', '/namingAuthority'];
    expect(rejectionOf(() => decided(DELETED, put([NEW_1]), { state: 'suspended' }))).toEqual(rejection);
    expect(decided({ target: TARGET }, put([NEW_1]), { state: 'suspended' })).toEqual({ kind: 'changed', target: NEW });
  });

  it.each([
    ['some of its values', put([NEW_1], { indexes: [1] })],
    ['some of its values, of any index', put([NEW_1], { indexes: 'various' })],
    ['a removal', removed(1)],
    ['a deletion', { step: 'deleted' } as const],
  ])('does not find a deleted one for %s', (_, command) => {
    expect(rejectionOf(() => decided(DELETED, command))).toBe(100);
  });
});

describe('the text of the METADATA_ID value', () => {
  it.each([
    ['null where there is none', [URL_1], null],
    ['its text, in any case of the type', [URL_1, value(7, 'metadata_id', 'demo:7')], 'demo:7'],
  ])('is %s', (_, values, text) => {
    expect(metadataIdIn(values)).toBe(text);
  });

  it.each([
    ['is not readable by everybody', value(7, 'METADATA_ID', 'demo:7', { permissions: '1100' })],
    ['is not a string', value(7, 'METADATA_ID', 'AP8=', { data: { format: 'base64', value: 'AP8=' } })],
  ])('is rejected where it %s', (_, sent) => {
    expect(rejectionOf(() => metadataIdIn([URL_1, sent]))).toBe(4);
  });

  it('is any text under a naming authority with opaque metadata IDs', () => {
    const command = { values: [value(7, 'METADATA_ID', 'a b')], indexes: null, overwrite: true };
    expect(parsePut(command, knownWith({}), 'any')).toMatchObject({ metadata: { canonical: 'a b' } });
  });
});

describe('the content of a write for its fingerprint', () => {
  const contentOf = (step: Parameters<typeof valuesContent>[0]) => JSON.stringify(valuesContent(step));
  const contentOfPut = (values: StoredValue[], more: Partial<Put> = {}) =>
    contentOf({ step: 'put', put: { values, indexes: null, overwrite: true, ...more } });

  it('depends on everything but the times of values', () => {
    const whole = contentOfPut([URL_1]);
    expect(contentOfPut([{ ...URL_1, timestamp: '2026-11-22T04:29:43Z' }])).toBe(whole);
    const others = [
      ...[contentOfPut([NEW_1]), contentOfPut([{ ...URL_1, ttl: 61 }]), contentOfPut([URL_1], { overwrite: false })],
      ...[contentOfPut([URL_1], { indexes: [1] }), contentOf({ step: 'removed', indexes: [1] })],
    ];
    expect(new Set([whole, ...others]).size).toBe(6);
  });
});

describe('a change by the REST API', () => {
  const record = recordWith({ handleValues: [URL_1, EMAIL_2, value(7, 'METADATA_ID', 'info:fedora/demo:6')] });
  const metadata = {
    canonical: METADATA,
    comparison: METADATA,
    rule: 'exact' as const,
    key: '' as never,
    keyFoldsCase: null,
    needsHandle: false,
  };
  const changedAt = '2026-11-22T04:29:43Z';

  it.each([
    ['the target', { target: NEW }, [{ ...NEW_1, timestamp: changedAt }, 'EMAIL', 'METADATA_ID']],
    ['no target', { target: null }, ['EMAIL', 'METADATA_ID']],
    ['the metadata ID', { metadata }, ['URL', 'EMAIL', value(7, 'METADATA_ID', METADATA, { timestamp: changedAt })]],
    ['no metadata ID', { metadata: null }, ['URL', 'EMAIL']],
    ['other members', {}, ['URL', 'EMAIL', 'METADATA_ID']],
  ])('of %s keeps the other stored values as they are', (_, values, after) => {
    const stored = new Map<unknown, StoredValue>(record.handleValues!.map((each) => [each.type, each]));
    const { handleValues, ...others } = withStoredValues(record, values, AT);
    expect([handleValues, others]).toEqual([after.map((each) => stored.get(each) ?? each), values]);
  });

  it('stores no values where none are stored', () => {
    expect(withStoredValues(recordWith({ target: TARGET }), { target: NEW }, AT)).toEqual({ target: NEW });
  });

  it('is rejected with values of more than 32 KiB together', () => {
    const fullRecord = recordWith({ handleValues: [URL_1, value(2, 'X', 'x'.repeat(31_500))] });
    const change = (target: string) => () =>
      decide(
        fullRecord,
        { step: 'changed', values: { target } },
        {
          ...{ at: AT, known: knownWith({}), other: null, principal: OPEN_ACCESS },
        },
      );
    expect(rejectionOf(change(`${NEW}${'x'.repeat(500)}`))).toBeNull();
    expect(rejectionOf(change(`${NEW}${'x'.repeat(1100)}`))).toEqual(['INVALID_REQUEST', '']);
  });
});
