import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RESOLVER } from '@mintmark/identifier';
import { ADMIN } from '../../src/access/principal.js';
import { columnsIn, writeRow } from '../../src/api/import-export/transfer-columns.js';
import { TransferLineDto } from '../../src/api/import-export/transfer-line.dto.js';
import { lineOf } from '../../src/api/import-export/transfer-presenter.js';
import { readPart } from '../../src/http/validation/request-validation.js';
import { parseImport } from '../../src/import-export/import-command.js';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import { authorityWith } from '../records.js';

const prefix = `20.${'1'.repeat(252)}`;
const settings = { prefix, profile: 'handle', metadataIdScheme: 'any', storesHandleValues: true } as const;
const known = new NamingAuthoritySnapshot([authorityWith(settings)], DEFAULT_RESOLVER);
const TIME = '2020-01-01T00:00:00.000Z';
/** `=` after `;` is guarded in a cell. */
const formulas = (length: number) => ';='.repeat(length / 2);
const value = (index: number, data: string) => ({
  ...{ index, type: '', data: { format: 'string', value: data }, ttl: 0, permissions: '1110', timestamp: TIME },
});
const empty = JSON.stringify(value(1, '')).length;

/** The longest line of an identifier, at each of its limits. @param reason a character; U+0001 has an escape of six in JSON. */
const longest = (reason: string) => ({
  ...{ identifier: `${prefix}/${'"'.repeat(8192)}`, metadataId: '"'.repeat(2048), target: null, language: null },
  ...{ state: 'withdrawn', version: 1_000_000_000, createdAt: TIME, updatedAt: TIME, leaseUntil: null },
  alternateIds: Array.from({ length: 100 }, (_, n) => `hdl:10.1/${100 + n}${formulas(358)}`),
  previousVersion: `hdl:10.1/${formulas(16_000)}`,
  handleValues: [value(1, '"'.repeat((32_768 - empty - 2) / 2))],
  tombstone: {
    ...{ withdrawnAt: TIME, reasonCode: 'other', reason: reason.repeat(16_384) },
    replacedBy: `hdl:10.1/${formulas(16_374)}`,
  },
});

describe('the longest line of an export', () => {
  it.each(['\u0001', '\uff1d', '"'])('can be imported, with a reason of %j', (reason) => {
    const { record } = parseImport(readPart(TransferLineDto, longest(reason)), known, ADMIN);
    const line = lineOf(record, record, true);
    const ndjson = Buffer.byteLength(JSON.stringify(line));
    const csv = Buffer.byteLength(writeRow(line, { columns: columnsIn(undefined), delimiter: ';' }));
    expect(Math.max(ndjson, csv)).toBeGreaterThan(65_536);
    expect(Math.max(ndjson, csv)).toBeLessThanOrEqual(262_144);
  });
});
