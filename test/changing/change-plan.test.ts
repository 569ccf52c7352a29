import { describe, expect, it } from '@jest/globals';
import { OPEN_ACCESS } from '../../src/access/principal.js';
import {
  ChangePlan,
  type Holders,
  type PlannedChange,
  type TargetedChange,
  holderKey,
  namesOf,
  roundsOf,
} from '../../src/changing/change-plan.js';
import { requireChangeable } from '../../src/changing/change-line.js';
import { type CurationStep, type NewValues, parseCommand } from '../../src/changing/curation-command.js';
import { Problem } from '../../src/problem/problem.js';
import { KNOWN, recordWith } from '../records.js';

const NOW = new Date('2026-11-20T09:30:00.000Z');
const LOCAL = ['A', 'B', 'C'].map((letter) => letter.repeat(32));
const [A, B] = [1n, 2n];
const recordOf = (id: bigint, members: object = {}) => {
  const name = LOCAL[Number(id) - 1]!;
  return recordWith({ id, guid: name, localName: name, ...members });
};
const targeted = (
  id: bigint,
  step: CurationStep,
  ifVersion?: number,
  otherId: bigint | null = null,
): TargetedChange => ({
  ...{ id, metadata: null, step, otherId },
  check: (record) => {
    requireChangeable(record, step, ifVersion);
  },
});
const values = (id: bigint, wanted: NewValues, ifVersion?: number): TargetedChange =>
  targeted(id, parseCommand({ step: 'changed', values: wanted }, KNOWN), ifVersion);
const withdrawal = (id: bigint, replacementId: bigint | null = null): TargetedChange => {
  const replacedBy = `100.102/${LOCAL[Number(replacementId) - 1]}`;
  const command = { step: 'withdrawn', reason: 'x', ...(replacementId !== null && { replacedBy }) } as const;
  return targeted(id, parseCommand(command, KNOWN), undefined, replacementId);
};
const keyOf = (text: string) =>
  holderKey(namesOf(parseCommand({ step: 'changed', values: { metadataId: text } }, KNOWN), '100.102')[0]!);
const alternateKeyOf = (text: string) =>
  holderKey(namesOf(parseCommand({ step: 'changed', values: { alternateIds: [text] } }, KNOWN), '100.102')[0]!);
const planOf = (
  records: ReturnType<typeof recordOf>[],
  holders: Holders = new Map(),
  metadataRecords: ReadonlyMap<bigint, ReturnType<typeof recordOf>> = new Map(),
) => new ChangePlan({ records, metadataRecords }, holders, { now: NOW, known: KNOWN, principal: OPEN_ACCESS });
const rejectionOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return [error.code, error.extensions.errors?.[0]?.pointer];
    throw error;
  }
  return null;
};

describe('a plan of changes', () => {
  it('decides about each change as the earlier ones leave the record', () => {
    const plan = planOf([recordOf(A)]);
    const first = plan.add(values(A, { target: 'https://a.example/' }));
    expect(first.after).toMatchObject({ target: 'https://a.example/', version: 2, updatedAt: NOW });
    expect(plan.add(values(A, { target: 'https://a.example/' })).amendment).toBeNull();
    expect(plan.add(withdrawal(A)).after).toMatchObject({ state: 'withdrawn', version: 3 });
    expect(rejectionOf(() => plan.add(values(A, { target: null })))).toEqual(['WRONG_STATE', undefined]);
  });

  it('requires the version of the record at that line', () => {
    const plan = planOf([recordOf(A)]);
    plan.add(values(A, { target: 'https://a.example/' }, 1));
    expect(rejectionOf(() => plan.add(values(A, { target: null }, 1)))).toEqual(['PRECONDITION_FAILED', '/ifVersion']);
  });

  it('gives a name to the first one, and to another one after it was released', () => {
    const plan = planOf([recordOf(A), recordOf(B)]);
    const taken = () => plan.add(values(B, { metadataId: 'demo:7' }));
    plan.add(values(A, { metadataId: 'demo:7' }));
    expect(rejectionOf(taken)).toEqual(['METADATA_ID_TAKEN', '/metadataId']);
    expect(plan.add(values(A, { metadataId: null })).released).toEqual([keyOf('demo:7')]);
    expect(taken().after.metadataId).toBe('info:fedora/demo:7');
  });

  it('rejects the names of others, and those with the same key', () => {
    const holder = { id: 9n, namingAuthority: '100.102', localName: 'x' };
    const one = planOf([recordOf(A)], new Map([[keyOf('demo:7'), { ...holder, isSame: true }]]));
    expect(rejectionOf(() => one.add(values(A, { metadataId: 'demo:7' })))).toEqual([
      'METADATA_ID_TAKEN',
      '/metadataId',
    ]);
    const other = planOf([recordOf(A)], new Map([[keyOf('demo:7'), { ...holder, isSame: false }]]));
    expect(rejectionOf(() => other.add(values(A, { metadataId: 'demo:7' })))).toEqual(['KEY_COLLISION', '/metadataId']);
  });

  it('keeps the names of an identifier that has them', () => {
    const record = recordOf(A, { alternateIds: ['info:fedora/demo:7'] });
    const plan = planOf([record, recordOf(B)]);
    plan.add(values(A, { alternateIds: ['demo:8', 'demo:7'] }));
    expect(rejectionOf(() => plan.add(values(B, { alternateIds: ['demo:9', 'demo:7'] })))).toEqual([
      'ALTERNATE_ID_TAKEN',
      '/alternateIds/1',
    ]);
  });

  it('releases the names of a reservation that is withdrawn', () => {
    const leaseUntil = new Date('2099-01-01');
    const plan = planOf([
      recordOf(A, { state: 'reserved', leaseUntil, metadataId: 'info:fedora/demo:7' }),
      recordOf(B),
    ]);
    expect(plan.add(withdrawal(A)).released).toEqual([keyOf('demo:7')]);
  });

  it('requires that a replacement is active at that line', () => {
    const plan = planOf([recordOf(A), recordOf(B)]);
    expect(plan.add(withdrawal(A, B)).after.tombstone?.replacedBy).toBe(`hdl:100.102/${LOCAL[1]}`);
    expect(rejectionOf(() => plan.add(withdrawal(B, A)))).toEqual(['REPLACEMENT_NOT_FOUND', '/replacedBy']);
  });
});

describe('a plan with a metadata record that was minted with its object', () => {
  const LEASE = { state: 'reserved', leaseUntil: new Date('2126-01-01T00:00:00Z') } as const;
  const OBJECT = recordOf(A, { ...LEASE, metadataId: `hdl:100.102/${LOCAL[1]}` });
  const RECORD = recordOf(B, { ...LEASE, alternateIds: ['info:fedora/demo:1'], describes: [`100.102/${LOCAL[0]}`] });
  const paired = () => planOf([OBJECT], new Map(), new Map([[A, RECORD]]));
  const activation: TargetedChange = {
    ...values(A, {}),
    step: parseCommand({ step: 'activated', values: {}, metadataTarget: 'https://a.example/' }, KNOWN),
  };

  it('activates both, and later changes meet the record as it is then', () => {
    const plan = paired();
    const { after, metadataRecord } = plan.add(activation);
    expect(after).toMatchObject({ state: 'active', version: 2 });
    expect(metadataRecord?.after).toMatchObject({ state: 'active', target: 'https://a.example/', version: 2 });
    expect(plan.add(values(B, { target: 'https://b.example/' })).after).toMatchObject({ state: 'active', version: 3 });
  });

  it('ends both, which releases the names of both', () => {
    const { after, metadataRecord } = paired().add(withdrawal(A));
    expect(after).toMatchObject({ state: 'withdrawn', metadataId: null });
    expect(metadataRecord?.after).toMatchObject({ state: 'withdrawn', alternateIds: [], version: 2 });
    expect(metadataRecord?.released).toEqual([alternateKeyOf('demo:1')]);
  });

  it('has no target for the record where the same activation gives the object another metadata ID', () => {
    const values = { metadataId: 'demo:7' };
    const step = parseCommand({ step: 'activated', values, metadataTarget: 'https://a.example/' }, KNOWN);
    const [object, record] = [`100.102/${LOCAL[0]}`, `100.102/${LOCAL[1]}`];
    const detail = `metadataTarget cannot be set: after the activation, the metadata ID of ${object} is not ${record}, the metadata record that was minted with it`;
    expect(() => paired().add({ ...activation, step })).toThrow(
      expect.objectContaining({ extensions: { errors: [{ pointer: '/metadataTarget', detail }] } }),
    );
  });

  it('leaves the record once an earlier change gave the object another metadata ID', () => {
    const plan = paired();
    plan.add(values(A, { metadataId: 'demo:7' }));
    expect(rejectionOf(() => plan.add(activation))).toEqual(['WRONG_STATE', '/metadataTarget']);
    expect(plan.add(withdrawal(A)).metadataRecord).toBeNull();
  });
});

describe('the rounds of changes', () => {
  const change = (id: bigint, released: string[] = [], gained: string[] = []): PlannedChange => ({
    ...{ before: recordOf(id), after: recordOf(id), amendment: null, released, gained, metadataRecord: null },
  });

  it.each([
    ['none for none', [], []],
    ['one for different identifiers', [change(A), change(B)], [2]],
    ['two for one identifier twice', [change(A), change(A), change(B)], [1, 2]],
    ['two for a name that passes from one to the other', [change(A, ['x']), change(B, [], ['x'])], [1, 1]],
    ['one for a name that is replaced by itself', [change(A, ['x'], ['x']), change(B, [], ['y'])], [2]],
  ])('are %s', (_, changes, sizes) => {
    const rounds = roundsOf(changes);
    expect(rounds.map((round) => round.length)).toEqual(sizes);
    expect(rounds.flat()).toEqual(changes);
  });
});
