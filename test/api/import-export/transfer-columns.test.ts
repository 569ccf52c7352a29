import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { columnsIn, readRow, writeRow } from '../../../src/api/import-export/transfer-columns.js';
import type { TransferLine } from '../../../src/api/import-export/transfer-presenter.js';

const TIME = '2020-01-01T00:00:00.000Z';
const withReason = (reason: string): TransferLine => ({
  ...{
    identifier: '100.102/1',
    metadataId: null,
    target: null,
    language: null,
    state: 'withdrawn',
    alternateIds: [],
    version: 1,
  },
  ...{ previousVersion: null, handleValues: null, hiddenValues: 0 },
  ...{
    createdAt: TIME,
    updatedAt: TIME,
    leaseUntil: null,
    tombstone: { withdrawnAt: TIME, reasonCode: 'error', reason, replacedBy: null },
  },
});
const FORM = { columns: columnsIn(undefined), delimiter: ',' } as const;
const HEADER =
  'identifier,metadataId,target,language,state,alternateIds,version,createdAt,updatedAt,leaseUntil,withdrawnAt,' +
  'withdrawalReasonCode,withdrawalReason,replacedBy,previousVersion,handleValues,hiddenValues\r\n';
const hostile = fc.string({ unit: fc.constantFrom(...'=+-@＝＋－＠\'";, \t\r\nax'), minLength: 1, maxLength: 12 });

describe('a cell of CSV', () => {
  it('is decoded to the same position, with any text', () => {
    fc.assert(
      fc.property(hostile, (reason) => {
        const [row] = parse<Record<string, string>>(HEADER + writeRow(withReason(reason), FORM), { columns: true });
        expect((readRow(row!) as TransferLine).tombstone!.reason).toBe(reason);
      }),
      { numRuns: 5000 },
    );
  });

  it('has alternates between any number of spaces', () => {
    expect(readRow({ alternateIds: ' demo:1  demo:2 ' })).toEqual({ alternateIds: ['demo:1', 'demo:2'] });
    expect(readRow({ alternateIds: '' })).toEqual({ alternateIds: [] });
  });

  it('begins no formula for a program that cuts lines at ";" or tabs, with or without quotation marks', () => {
    fc.assert(
      fc.property(hostile, (reason) => {
        const pieces = writeRow(withReason(reason), FORM).split(/[;\t\r\n]/);
        expect(pieces.filter((piece) => /^[ "]*[=+\-@＝＋－＠]/.test(piece))).toEqual([]);
      }),
      { numRuns: 5000 },
    );
  });
});
