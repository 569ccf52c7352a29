import { describe, expect, it } from '@jest/globals';
import { creation } from '../../src/registry/change.js';
import { withoutLegalOperations, withoutLegalValues } from '../../src/registry/lifecycle.js';
import { recordWith } from '../records.js';

const WITHDRAWN_AT = new Date(5);
const TOMBSTONE = {
  withdrawnAt: WITHDRAWN_AT,
  reasonCode: 'legal',
  reason: 'Jane asked.',
  replacedBy: '100.102/b',
} as const;
const SHOWN_TOMBSTONE = { ...TOMBSTONE, reason: 'The details are not shown for legal reasons.' };
const VALUES = {
  metadataId: 'info:fedora/demo:jane',
  target: 'https://jane.example.org/',
  alternateIds: ['info:fedora/demo:doe'],
  previousVersion: '100.102/jane',
  handleValues: [
    { index: 1, type: 'EMAIL', data: { format: 'string', value: 'jane' }, ttl: 1, permissions: '1110', timestamp: 'x' },
  ],
};
const NO_VALUES = { metadataId: null, target: null, alternateIds: [], previousVersion: null, handleValues: null };

describe('an identifier that is withdrawn for legal reasons', () => {
  const withdrawn = recordWith({ ...VALUES, state: 'withdrawn', tombstone: TOMBSTONE, version: 3, describes: ['a'] });

  it('has its name, its state and its times, and no values', () => {
    expect(withoutLegalValues(withdrawn)).toEqual({ ...withdrawn, ...NO_VALUES, tombstone: SHOWN_TOMBSTONE });
  });

  it('has the same members whether or not it had values', () => {
    const bare = recordWith({ state: 'withdrawn', tombstone: TOMBSTONE, version: 3, describes: ['a'] });
    expect(withoutLegalValues(withdrawn)).toEqual(withoutLegalValues(bare));
  });

  it('has no value of a member that is not known to be shown', () => {
    const tombstone = { ...TOMBSTONE, requestedBy: 'Jane' };
    const later = { ...withdrawn, tombstone, creators: ['Jane'], title: 'Jane' };
    expect(withoutLegalValues(later)).toEqual({
      ...{ ...withdrawn, ...NO_VALUES, tombstone: SHOWN_TOMBSTONE },
      ...{ creators: null, title: null },
    });
  });
});

describe('the history of an identifier that is withdrawn for legal reasons', () => {
  it('begins without values', () => {
    const document = { ...VALUES, state: 'active', leaseUntil: null, tombstone: null };
    expect(withoutLegalOperations(creation(document))).toEqual(creation({ ...document, ...NO_VALUES }));
  });

  it('has the changes of its state and no others', () => {
    const patch = Object.entries({
      ...VALUES,
      title: 'Jane',
      state: 'withdrawn',
      leaseUntil: null,
      tombstone: TOMBSTONE,
    });
    expect(withoutLegalOperations(patch.map(([name, value]) => ({ op: 'replace', path: `/${name}`, value })))).toEqual([
      { op: 'replace', path: '/state', value: 'withdrawn' },
      { op: 'replace', path: '/leaseUntil', value: null },
      { op: 'replace', path: '/tombstone', value: SHOWN_TOMBSTONE },
    ]);
  });

  it('has a reinstatement', () => {
    const patch = [{ op: 'replace', path: '/tombstone', value: null }] as const;
    expect(withoutLegalOperations(patch)).toEqual(patch);
  });
});
