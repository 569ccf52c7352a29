import { describe, expect, it } from '@jest/globals';
import { requireSize } from '../../src/registry/identifier-record.js';

describe('the size of a record', () => {
  const record = (alternates: number) => ({
    namingAuthority: '100.102',
    localName: 'abc',
    metadataId: 'hdl:100.102/é',
    target: null,
    language: null,
    previousVersion: null,
    alternateIds: Array.from({ length: alternates }, () => 'a'.repeat(8189)),
  });

  it('is at most 65,536 bytes of UTF-8, without Handle values', () => {
    const fits = { ...record(7), target: 't'.repeat(65_536 - 7 * 8189 - 3 - 14) };
    expect(() => {
      requireSize(fits, null);
    }).not.toThrow();
    expect(() => {
      requireSize({ ...fits, target: `${fits.target}t` }, null);
    }).toThrow('RECORD_TOO_LARGE');
  });

  it('may be larger where a write does not enlarge it', () => {
    expect(() => {
      requireSize(record(90), record(90));
    }).not.toThrow();
    expect(() => {
      requireSize(record(89), record(90));
    }).not.toThrow();
    expect(() => {
      requireSize(record(91), record(90));
    }).toThrow('RECORD_TOO_LARGE');
  });
});
