import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { difference } from '../../src/registry/change.js';
import { type IdentifierRecord, type ReasonCode, STATES, type State } from '../../src/registry/identifier-record.js';
import {
  type Amendment,
  type Step,
  activation,
  deletion,
  amended,
  changeTime,
  expiry,
  following,
  isDeleted,
  reinstatement,
  release,
  requireState,
  withdrawal,
} from '../../src/registry/lifecycle.js';
import { GUID, recordWith } from '../records.js';

const AT = new Date('2026-11-20T09:30:00.000Z');
const LEASE = new Date('2026-11-19T00:00:00.000Z');
const TOMBSTONE = {
  withdrawnAt: new Date(1),
  reasonCode: 'other' as const,
  reason: 'The Handle was deleted.',
  replacedBy: null,
};
const WHY = { reasonCode: 'duplicate' as const, reason: 'twice', replacedBy: null };
const NAME = {
  canonical: 'info:fedora/demo:9',
  comparison: 'info:fedora/demo:9',
  rule: 'exact' as const,
  key: 'ab',
  keyFoldsCase: null,
  needsHandle: false,
};

const inState = (state: State): IdentifierRecord =>
  recordWith({
    state,
    metadataId: 'info:fedora/demo:7',
    alternateIds: ['info:fedora/demo:8'],
    leaseUntil: state === 'reserved' ? LEASE : null,
    tombstone: state === 'withdrawn' ? TOMBSTONE : null,
  });

const PERMITTED: Readonly<Record<Step, readonly State[]>> = {
  changed: ['reserved', 'active'],
  activated: ['reserved'],
  released: ['reserved'],
  withdrawn: ['reserved', 'active'],
  deleted: ['reserved', 'active'],
  reinstated: ['withdrawn'],
};
const TABLE = (Object.keys(PERMITTED) as Step[]).flatMap((step) =>
  STATES.map((state) => [step, state, PERMITTED[step].includes(state)] as const),
);

describe('which step a state permits', () => {
  it.each(TABLE)('%s from %s: %s', (step, state, isPermitted) => {
    const record = inState(state);
    if (isPermitted) requireState(record, step);
    else
      expect(() => {
        requireState(record, step);
      }).toThrow(/^WRONG_STATE: 100\.102\/F58F/);
  });

  it('the rejection of a withdrawn identifier contains the reason code of its tombstone, and not the text', () => {
    expect(() => {
      requireState(inState('withdrawn'), 'changed');
    }).toThrow('is withdrawn (other); only');
  });

  it('the rejection names the state and the states that permit the step', () => {
    const requiring = (state: State, step: Step) => () => {
      requireState(inState(state), step);
    };
    expect(requiring('active', 'activated')).toThrow(
      / is active; only an identifier that is reserved can be activated\.$/,
    );
    expect(requiring('withdrawn', 'changed')).toThrow(
      / only an identifier that is reserved or active can be changed\.$/,
    );
    // One that is withdrawn can be withdrawn as "legal".
    expect(requiring('withdrawn', 'withdrawn')).toThrow(
      / \(other\); only an identifier that is reserved or active can be withdrawn for another reason than "legal"\.$/,
    );
  });
});

describe('what a step makes of a record', () => {
  const keeps = {
    metadataId: 'info:fedora/demo:7',
    alternateIds: ['info:fedora/demo:8'],
    previousVersion: null,
    target: null,
    language: null,
    handleValues: null,
  };
  const frees = {
    metadataId: null,
    alternateIds: [],
    previousVersion: null,
    target: null,
    language: null,
    handleValues: null,
  };
  const tombstone = (reasonCode: ReasonCode, reason: string, withdrawnAt = AT, replacedBy: string | null = null) => ({
    tombstone: { withdrawnAt, reasonCode, reason, replacedBy },
  });

  it.each<[string, State, (record: IdentifierRecord) => Amendment, object]>([
    ['activation', 'reserved', activation, { ...keeps, state: 'active', leaseUntil: null, tombstone: null }],
    [
      'release',
      'reserved',
      () => release(AT),
      { ...frees, state: 'withdrawn', leaseUntil: null, ...tombstone('released', 'The reservation was released.') },
    ],
    [
      'expiry',
      'reserved',
      (record) => expiry(record, AT),
      {
        ...frees,
        state: 'withdrawn',
        leaseUntil: null,
        ...tombstone('expired', 'The reservation ended without activation.', LEASE),
      },
    ],
    [
      'withdrawal of a reservation',
      'reserved',
      (record) => withdrawal(record, AT, WHY),
      { ...frees, state: 'withdrawn', leaseUntil: null, ...tombstone('duplicate', 'twice') },
    ],
    [
      'withdrawal',
      'active',
      (record) => withdrawal(record, AT, { ...WHY, replacedBy: '1/a' }),
      { ...keeps, state: 'withdrawn', leaseUntil: null, ...tombstone('duplicate', 'twice', AT, '1/a') },
    ],
    [
      'deletion',
      'active',
      () => deletion(AT),
      { ...frees, state: 'withdrawn', leaseUntil: null, ...tombstone('deleted', 'The Handle was deleted.') },
    ],
    ['reinstatement', 'withdrawn', reinstatement, { ...keeps, state: 'active', leaseUntil: null, tombstone: null }],
  ])('%s of a record that is %s', (_, state, amend, after) => {
    const record = inState(state);
    expect(amended(record, amend(record))).toEqual(after);
  });

  it('the previous version stays through a withdrawal and a reinstatement, and a deletion removes it', () => {
    const record = { ...inState('active'), previousVersion: '77.7/a' };
    const withdrawn = amended(record, withdrawal(record, AT, WHY));
    expect(withdrawn.previousVersion).toBe('77.7/a');
    expect(amended(withdrawn, reinstatement()).previousVersion).toBe('77.7/a');
    expect(amended(record, deletion(AT)).previousVersion).toBeNull();
  });

  it('is recorded in the history under the name of the step', () => {
    const record = inState('reserved');
    const amendments = [activation(), release(AT), withdrawal(record, AT, WHY), reinstatement(), expiry(record, AT)];
    expect(amendments.map(({ kind }) => kind)).toEqual(['activated', 'released', 'withdrawn', 'reinstated', 'lapsed']);
  });

  it('replaces and removes the target', () => {
    const record = { ...inState('active'), target: 'https://a.example/' };
    const target = 'https://b.example/';
    expect(amended(record, { kind: 'changed', target }).target).toBe(target);
    expect(amended(record, { kind: 'changed', target: null }).target).toBeNull();
    expect(amended(record, { kind: 'changed' }).target).toBe(record.target);
  });

  it('a member that is absent stays, and null removes', () => {
    const record = inState('active');
    expect(amended(record, { kind: 'changed', alternates: [NAME] })).toMatchObject({
      metadataId: record.metadataId,
      alternateIds: [NAME.canonical],
    });
    expect(amended(record, { kind: 'changed', metadata: null })).toMatchObject({
      metadataId: null,
      alternateIds: record.alternateIds,
    });
  });
});

describe('the metadata record that was minted with an object', () => {
  const OTHER = 'A3D8BE7457C943FFB66ED4583059A8BA';
  const LEASED = { state: 'reserved', leaseUntil: LEASE } as const;
  const object = recordWith({ ...LEASED, metadataId: `hdl:100.102/${OTHER}` });
  const record = recordWith({ ...LEASED, id: 8n, guid: OTHER, localName: OTHER, describes: [`100.102/${GUID}`] });
  const ENDED = release(AT);

  it('is activated with it', () => {
    expect(following(object, activation(), record)).toEqual({ kind: 'activated', state: 'active', leaseUntil: null });
    const metadata = { ...NAME, canonical: `hdl://100.102/${OTHER.toLowerCase()}` };
    expect(following({ ...object, metadataId: null }, { ...activation(), metadata }, record)?.kind).toBe('activated');
  });

  it.each([
    ['released', ENDED, 'released'],
    ['withdrawn', withdrawal(object, AT, { ...WHY, replacedBy: `100.102/${GUID}` }), 'duplicate'],
    ['deleted', deletion(AT), 'deleted'],
  ])('ends with it as %s, without a replacement', (kind, amendment, reasonCode) => {
    const ended = following(object, amendment, record);
    expect(ended?.kind).toBe(kind);
    const after = amended(record, ended!);
    expect(after).toMatchObject({ state: 'withdrawn', leaseUntil: null });
    expect(after.tombstone).toEqual({
      withdrawnAt: AT,
      reasonCode,
      reason: amendment.tombstone?.reason,
      replacedBy: null,
    });
  });

  it.each<[string, Partial<typeof object>, Amendment, Partial<typeof record>]>([
    ['the object only changes', {}, { kind: 'changed', target: null }, {}],
    ['the object is active', { state: 'active', leaseUntil: null }, withdrawal(object, AT, WHY), {}],
    ['the object is reinstated', { state: 'withdrawn', leaseUntil: null }, reinstatement(), {}],
    ['it is active already', {}, activation(), { state: 'active', leaseUntil: null }],
    ['it is active already at the end', {}, ENDED, { state: 'active', leaseUntil: null }],
    ['it is withdrawn', {}, activation(), { state: 'withdrawn', leaseUntil: null }],
    ['the object has no metadata ID any more', { metadataId: null }, activation(), {}],
    ['the object has another one', { metadataId: 'info:fedora/demo:7' }, ENDED, {}],
    ['the activation gives another one', {}, { ...activation(), metadata: NAME }, {}],
    ['the activation removes it', {}, { ...activation(), metadata: null }, {}],
  ])('stays as it is where %s', (_, ofObject, amendment, ofRecord) => {
    expect(following({ ...object, ...ofObject }, amendment, { ...record, ...ofRecord })).toBeNull();
  });
});

describe('the time of a change', () => {
  it.each([
    ['the clock', AT, new Date(AT.getTime() - 1), AT],
    ['the last change, where the clock was put back', AT, new Date(AT.getTime() + 1), new Date(AT.getTime() + 1)],
  ])('is that of %s', (_, now, updatedAt, expected) => {
    expect(changeTime({ updatedAt }, now)).toEqual(expected);
  });
});

describe('the JSON Patch of a change (RFC 6902)', () => {
  it('replaces exactly the members that differ', () => {
    const document = fc.record({ a: fc.jsonValue(), b: fc.jsonValue(), c: fc.constant(null) });
    fc.assert(
      fc.property(document, document, (before, after) => {
        const patch = difference(before, after);
        const patched = Object.fromEntries([
          ...Object.entries(before),
          ...patch.map(({ path, value }) => [path.slice(1), value] as const),
        ]);
        expect(JSON.stringify(patched)).toBe(JSON.stringify(after));
        for (const { path } of patch) {
          const name = path.slice(1) as keyof typeof before;
          expect(JSON.stringify(before[name])).not.toBe(JSON.stringify(after[name]));
        }
      }),
    );
  });
});

describe('a deletion by a Handle client', () => {
  it('is told from every other state, and from deletions outside a sandbox', () => {
    const tombstone = deletion(AT).tombstone ?? null;
    const deleted = { sandbox: true, state: 'withdrawn' as const, tombstone };
    expect(isDeleted(recordWith(deleted))).toBe(true);
    expect(isDeleted(recordWith({ ...deleted, sandbox: false }))).toBe(false);
    expect(isDeleted(recordWith({ ...deleted, tombstone: TOMBSTONE }))).toBe(false);
    for (const state of STATES) expect(isDeleted({ ...inState(state), sandbox: true })).toBe(false);
  });
});
