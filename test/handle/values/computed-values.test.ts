import { describe, expect, it } from '@jest/globals';
import { computedValues, valueJson } from '../../../src/handle/values/index.js';
import { isShown } from '../../../src/registry/stored-value.js';
import { recordWith } from '../../records.js';

const times = { createdAt: new Date('2026-11-20T09:30:00.999Z'), updatedAt: new Date('2026-11-22T04:29:43.001Z') };

describe('the values of a record', () => {
  it('are its target, its administrators and its metadata ID, in order of their indexes', () => {
    const record = recordWith({ ...times, target: 'https://a.example/', metadataId: 'info:fedora/demo:1' });
    expect(computedValues(record).map(valueJson)).toEqual([
      {
        index: 1,
        type: 'URL',
        data: { format: 'string', value: 'https://a.example/' },
        ttl: 86_400,
        timestamp: '2026-11-22T04:29:43Z',
      },
      {
        index: 100,
        type: 'HS_ADMIN',
        data: { format: 'admin', value: { handle: '0.NA/100.102', index: 200, permissions: '011111110011' } },
        ttl: 86_400,
        timestamp: '2026-11-20T09:30:00Z',
      },
      {
        index: 101,
        type: 'METADATA_ID',
        data: { format: 'string', value: 'info:fedora/demo:1' },
        ttl: 86_400,
        timestamp: '2026-11-22T04:29:43Z',
      },
    ]);
  });

  it('are the administrators alone where it has neither target nor metadata ID, and are public', () => {
    const values = computedValues(recordWith(times));
    expect(values.map(({ type }) => type)).toEqual(['HS_ADMIN']);
    expect(values.every(isShown)).toBe(true);
    // 1110 of RFC 3652 3.2: not changed by the public.
    expect(values.map(({ permissions }) => permissions)).toEqual(['1110']);
  });

  it('that expire at a time have it as their ttl', () => {
    const [admin] = computedValues(recordWith(times));
    expect(valueJson({ ...admin!, ttl: '2027-01-01T00:00:00Z' })).toMatchObject({ ttl: '2027-01-01T00:00:00Z' });
  });

  it('that are administrators have 12 permissions, and their members in this order', () => {
    const [admin] = computedValues(recordWith(times));
    const value = { permissions: '0000011111110011', index: 200, handle: '0.NA/1' };
    expect(JSON.stringify(valueJson({ ...admin!, data: { format: 'admin', value } }))).toContain(
      '"data":{"format":"admin","value":{"handle":"0.NA/1","index":200,"permissions":"011111110011"}},"ttl"',
    );
  });
});
