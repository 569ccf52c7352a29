import { describe, expect, it } from '@jest/globals';
import { lineOf } from '../../../src/api/import-export/transfer-presenter.js';
import type { StoredValue } from '../../../src/registry/stored-value.js';
import { withoutLegalValues } from '../../../src/registry/lifecycle.js';
import { recordWith } from '../../records.js';

const value = (index: number, permissions: string): StoredValue => ({
  ...{ index, type: 'EMAIL', data: { format: 'string', value: 'a@b.example' }, permissions },
  ...{ ttl: 86_400, timestamp: '2026-11-20T09:30:00Z' },
});
const record = recordWith({ handleValues: [value(1, '1110'), value(2, '1100'), value(3, '1110')] });

describe('a line of an export', () => {
  it('counts the values that it does not have: those that not everybody may read, or all that are hidden', () => {
    const exported = (shown: typeof record, isComplete: boolean) => {
      const { handleValues, hiddenValues } = lineOf(record, shown, isComplete);
      return [handleValues?.length, hiddenValues];
    };
    expect(exported(record, true)).toEqual([3, 0]);
    expect(exported(record, false)).toEqual([2, 1]);
    expect(exported(withoutLegalValues(record), false)).toEqual([undefined, 3]);
    expect(lineOf(recordWith(), recordWith(), false)).toMatchObject({ handleValues: null, hiddenValues: 0 });
  });
});
