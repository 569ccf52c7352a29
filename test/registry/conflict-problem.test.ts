import { describe, expect, it } from '@jest/globals';
import { Problem } from '../../src/problem/problem.js';
import {
  mismatchProblem,
  nameConflictProblem,
  shownConflict,
  valueHolderIn,
} from '../../src/registry/conflict-problem.js';
import { recordBytes } from '../../src/registry/identifier-record.js';
import { GUID, recordWith } from '../records.js';

const NAME = `100.102/${GUID}`;
const TAKEN = nameConflictProblem('METADATA_ID_TAKEN', recordWith(), '/metadataId');
const OF_NOBODY = nameConflictProblem('ALTERNATE_ID_TAKEN', null, '/alternateIds/0');

describe('the identifier that has a requested value', () => {
  it('is named by a conflict of values only', () => {
    expect(valueHolderIn(TAKEN)).toBe(NAME);
    expect(valueHolderIn(OF_NOBODY)).toBeNull();
    expect(valueHolderIn(new Problem('GUID_TAKEN', 'x', { members: { identifier: NAME } }))).toBeNull();
    expect(valueHolderIn({ identifier: NAME })).toBeNull();
  });

  it('is not named to a client that must not learn it, and the pointer stays', () => {
    const all = { canSee: () => true };
    expect(shownConflict(TAKEN, all)).toBe(TAKEN);
    expect(shownConflict(OF_NOBODY, { canSee: () => false })).toBe(OF_NOBODY);
    for (const hidden of [shownConflict(TAKEN, { canSee: () => false }), shownConflict(TAKEN, all, true)]) {
      expect(JSON.stringify(hidden)).not.toContain(GUID);
      expect(hidden).toMatchObject({
        code: 'METADATA_ID_TAKEN',
        extensions: { errors: [expect.objectContaining({ pointer: '/metadataId' })] },
      });
    }
    expect(shownConflict('a result', { canSee: () => false })).toBe('a result');
  });
});

describe('a mint that contradicts the identifier with its metadata ID', () => {
  it('is told which members differ, without their values', () => {
    const problem = mismatchProblem(recordWith({ target: 'https://secret.example/' }), ['target', 'language']);
    expect(problem.extensions.errors?.map(({ pointer }) => pointer)).toEqual(['/metadataId', '/target', '/language']);
    expect(JSON.stringify(problem)).not.toContain('secret.example');
  });

  it('is told of the withdrawal where that one is withdrawn', () => {
    const tombstone = {
      ...{ withdrawnAt: new Date('2026-11-25T10:00:00Z'), reasonCode: 'other' as const },
      ...{ reason: 'Twice.', replacedBy: null },
    };
    const problem = mismatchProblem(recordWith({ state: 'withdrawn', tombstone }), ['target']);
    expect(problem.detail).toContain('It was withdrawn: Twice.');
    expect(problem.extensions.members).toMatchObject({ tombstone: { reason: 'Twice.', reasonCode: 'other' } });
  });
});

describe('the bytes of a record', () => {
  it('count its Handle values too', () => {
    const value = { index: 1, type: 'URL', data: { format: 'string', value: 'https://a.example/' } };
    const more = recordBytes(recordWith({ handleValues: [value] as never })) - recordBytes(recordWith());
    expect(more).toBe(JSON.stringify([value]).length);
  });
});
