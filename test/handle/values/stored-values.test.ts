import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  HandleFault,
  putValues,
  requireComputable,
  storedOf,
  targetIn,
  targetOfText,
  valuesOf,
  withTarget,
  withoutValues,
} from '../../../src/handle/values/index.js';
import { isTarget } from '../../../src/registry/target.js';
import { type StoredValue, shownValues } from '../../../src/registry/stored-value.js';
import { recordWith } from '../../records.js';

const THEN = '2020-01-01T00:00:00Z';
const NOW = new Date('2026-11-22T04:29:43Z');
const value = (index: number, type: string, text: string, members: Partial<StoredValue> = {}): StoredValue => ({
  ...{ index, type, data: { format: 'string', value: text }, ttl: 86_400, permissions: '1110', timestamp: THEN },
  ...members,
});
const TARGET = 'https://repo.example.org/1';
const url = (index: number, text = TARGET) => value(index, 'URL', text);
const indexes = (values: readonly { index: number; type: string }[]) =>
  values.map(({ index, type }) => `${index} ${type}`);
const put = (
  record: object,
  values: readonly StoredValue[],
  of: readonly number[] | 'various' | null = null,
  overwrite = true,
) => putValues(recordWith(record), { values, indexes: of, overwrite });

function codeOf(work: () => unknown): number {
  try {
    work();
  } catch (error) {
    if (error instanceof HandleFault) return error.responseCode;
    throw error;
  }
  return 1;
}

describe('the values of a record', () => {
  it('are the computed ones while nothing is stored', () => {
    const record = recordWith({ target: TARGET, metadataId: 'info:fedora/demo:7' });
    expect(indexes(valuesOf(record))).toEqual(['1 URL', '100 HS_ADMIN', '101 METADATA_ID']);
  });

  it('are the stored ones in the order of their indexes, and computed ones that nothing replaces', () => {
    const record = (handleValues: StoredValue[]) =>
      recordWith({ target: TARGET, metadataId: 'info:fedora/demo:7', handleValues });
    expect(indexes(storedOf(record([value(101, 'EMAIL', 'a'), url(4)])))).toEqual([
      ...['4 URL', '100 HS_ADMIN', '101 EMAIL', '102 METADATA_ID'],
    ]);
    expect(indexes(storedOf(record([value(1, 'HS_ADMIN', 'a'), value(7, 'metadata_id', 'x')])))).toEqual([
      ...['1 HS_ADMIN', '2 URL', '7 metadata_id'],
    ]);
  });

  it('have the target where no stored URL value is public, and a write of another value keeps it', () => {
    const hidden = { target: TARGET, handleValues: [value(1, 'URL', 'https://b.example/', { permissions: '1100' })] };
    expect(indexes(storedOf(recordWith(hidden)))).toEqual(['1 URL', '2 URL', '100 HS_ADMIN']);
    const { values, target } = put(hidden, [value(9, 'EMAIL', 'a')], [9]);
    expect([indexes(values), target]).toEqual([['1 URL', '2 URL', '9 EMAIL'], TARGET]);
  });

  it('have the metadata ID of the record, and none without it', () => {
    const handleValues = [value(7, 'METADATA_ID', 'old')];
    const [, metadata] = storedOf(recordWith({ metadataId: 'info:fedora/demo:7', handleValues })).toReversed();
    expect(metadata?.data.value).toBe('info:fedora/demo:7');
    expect(indexes(storedOf(recordWith({ handleValues })))).toEqual(['100 HS_ADMIN']);
  });

  it('show no secret key to any reader, and no value that not everybody may read in representations', () => {
    const handleValues = [value(1, 'hs_seckey', 'secret'), value(2, 'HIDDEN', 'x', { permissions: '1100' })];
    expect(indexes(valuesOf(recordWith({ handleValues })))).toEqual(['2 HIDDEN', '100 HS_ADMIN']);
    expect(shownValues(handleValues)).toEqual([]);
  });
});

describe('the target of stored values', () => {
  it('is the URL of the lowest index', () => {
    expect(targetIn([url(9, 'https://b.example/'), url(2), value(1, 'EMAIL', 'a')])).toBe(TARGET);
    expect(targetIn([value(1, 'EMAIL', 'a')])).toBe(undefined);
    expect(targetIn([url(1, 'mailto:a@example.org'), url(2)])).toBe(null);
  });

  it.each([
    ['https://a.example/é b', 'https://a.example/%C3%A9%20b'],
    ['https://a.example/100%', 'https://a.example/100%25'],
    ['https://a.example/?a=<d>&b=%20', 'https://a.example/?a=%3Cd%3E&b=%20'],
    ['ftp://a.example/', null],
    ['', null],
    ['https://user:secret@a.example/', null],
    [`https://a.example/${'x'.repeat(2048)}`, null],
  ])('of %j is %j', (text, target) => {
    expect(targetOfText(text)).toBe(target);
  });

  it('is null or a target, for any text', () => {
    const text = fc.string({ unit: 'binary' }).map((end) => `https://a.example/${end}`);
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (data) => {
        const target = targetOfText(data);
        expect(target === null || isTarget(target)).toBe(true);
      }),
    );
  });

  it('agrees with the values after each change of the target, for any values', () => {
    const texts = fc.constantFrom(TARGET, 'https://b.example/', 'https://c.example/é', 'mailto:a@example.org');
    const values = fc
      .uniqueArray(fc.record({ index: fc.integer({ min: 1, max: 9 }), text: texts, isUrl: fc.boolean() }), {
        selector: ({ index }) => index,
      })
      .map((list) => list.map(({ index, text, isUrl }) => value(index, isUrl ? 'URL' : 'EMAIL', text)));
    const target = fc.constantFrom(null, TARGET, 'https://new.example/');
    fc.assert(
      fc.property(values, target, (before, wanted) => {
        const after = withTarget(before, wanted, NOW);
        const current = targetIn(after);
        // Without a stored URL value, the value is computed from the target.
        expect(current ?? wanted).toBe(wanted);
        if (current === undefined) expect(wanted === null || targetIn(before) === undefined).toBe(true);
        const others = ({ type }: StoredValue) => type !== 'URL';
        expect(after.filter(others)).toEqual(before.filter(others));
        if (targetIn(before) === wanted) expect(after).toEqual(before);
      }),
    );
  });
});

describe('a write of values', () => {
  const handleValues = [url(1), value(4, 'EMAIL', 'a'), value(100, 'HS_ADMIN', 'x')];

  it('of all values replaces them, and an equal value keeps its time', () => {
    const later = (each: StoredValue) => ({ ...each, timestamp: '2026-11-22T04:29:43Z' });
    const written = put({ target: TARGET, handleValues }, [later(url(1)), later(value(4, 'EMAIL', 'b'))]);
    expect(written.values.map(({ timestamp }) => timestamp)).toEqual([THEN, '2026-11-22T04:29:43Z']);
    expect([written.target, written.isChanged]).toEqual([TARGET, true]);
    expect(put({ target: TARGET, handleValues }, handleValues.map(later)).isChanged).toBe(false);
  });

  it('keeps the metadata ID without a METADATA_ID value', () => {
    const stored = [value(7, 'METADATA_ID', 'info:fedora/demo:7')];
    const written = put({ metadataId: 'info:fedora/demo:7', handleValues: stored }, [value(2, 'EMAIL', 'a')]);
    expect([indexes(written.values), written.removesMetadataId]).toEqual([['2 EMAIL', '7 METADATA_ID'], false]);
  });

  it('of some indexes replaces or adds exactly these', () => {
    const written = put({ target: TARGET, handleValues }, [value(4, 'EMAIL', 'b'), value(9, 'X', 'c')], [9, 4]);
    expect(indexes(written.values)).toEqual(['1 URL', '4 EMAIL', '9 X', '100 HS_ADMIN']);
    expect(codeOf(() => put({ handleValues }, [value(4, 'EMAIL', 'b')], [4, 9]))).toBe(4);
    expect(codeOf(() => put({ handleValues }, [value(4, 'EMAIL', 'b')], [4], false))).toBe(201);
    expect(codeOf(() => put({ handleValues }, [value(5, 'EMAIL', 'b')], 'various', false))).toBe(1);
  });

  it('stores a computed URL beside the others, but no computed HS_ADMIN', () => {
    const written = put({ target: TARGET }, [value(2, 'EMAIL', 'a')], 'various');
    expect([indexes(written.values), written.target]).toEqual([['1 URL', '2 EMAIL'], TARGET]);
  });

  it('has one METADATA_ID', () => {
    expect(codeOf(() => put({}, [value(1, 'METADATA_ID', '1/a'), value(2, 'metadata_id', '1/b')]))).toBe(4);
  });

  it('removes values by their indexes, all or none, and the metadata ID by its index alone', () => {
    const record = recordWith({ target: TARGET, metadataId: 'info:fedora/demo:7', handleValues });
    expect(codeOf(() => withoutValues(record, [4, 5]))).toBe(200);
    expect(indexes(withoutValues(record, [1, 4]).values)).toEqual(['100 HS_ADMIN']);
    expect(withoutValues(record, [1]).target).toBe(null);
    expect([withoutValues(record, [4]).removesMetadataId, withoutValues(record, [101]).removesMetadataId]).toEqual([
      false,
      true,
    ]);
  });

  it('is rejected under a naming authority without stored values, with the name of the setting', () => {
    const rejected = (values: StoredValue[]) => () => {
      requireComputable(values, '20.500');
    };
    expect(rejected([url(5), value(100, 'HS_ADMIN', ''), value(3, 'METADATA_ID', '')])).not.toThrow();
    expect(rejected([value(2, 'EMAIL', 'a')])).toThrow(/EMAIL cannot be stored: .* without "storesHandleValues": true/);
    expect(rejected([url(1), url(2)])).toThrow(/second URL/);
    expect(rejected([url(1, 'ftp://a')])).toThrow(
      /must be an http or https URL: .* without "storesHandleValues": true/,
    );
  });
});
