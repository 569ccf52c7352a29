import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RESOLVER, toResolver } from '@mintmark/identifier';
import { deserializeRecord, serializeRecord, snapshotOf } from '../../src/registry/identifier-record.js';
import { recordWith } from '../records.js';

const TIME = '2026-11-20T09:30:00.000Z';

const RECORDS = [
  ['active', recordWith({ target: 'https://a.example/', describes: ['1/a'] })],
  ['reserved', recordWith({ state: 'reserved', leaseUntil: new Date(TIME) })],
  [
    'withdrawn',
    recordWith({
      state: 'withdrawn',
      tombstone: { withdrawnAt: new Date(TIME), reasonCode: 'legal', reason: 'x', replacedBy: '1/a' },
    }),
  ],
  ['a Handle', recordWith({ guid: null, localName: 'report/2026', alternateIds: ['info:fedora/demo:8'] })],
] as const;

describe('the stored JSON of an identifier', () => {
  it.each(RECORDS)('is read as it was written: %s', (_, record) => {
    const snapshot = snapshotOf(record, DEFAULT_RESOLVER);
    const text = JSON.stringify(serializeRecord(snapshot, snapshot.uris));
    const read = deserializeRecord(JSON.parse(text));
    expect(JSON.stringify(serializeRecord(read, read.uris))).toBe(text);
    expect(read.tombstone).toEqual(record.tombstone);
    expect(read.leaseUntil).toEqual(record.leaseUntil);
  });

  it('keeps the URIs of its time, whichever resolver is configured later', () => {
    const snapshot = snapshotOf(
      recordWith(),
      toResolver({ scheme: 'https', authority: 'old.example', firstSegment: null }),
    );
    const read = deserializeRecord(JSON.parse(JSON.stringify(serializeRecord(snapshot, snapshot.uris))));
    expect(read.uris.resolver).toMatch(/^https:\/\/old\.example\/100\.102\//);
  });

  // An entity tag is a digest of this text, and replicas of other versions replay it.
  it('has the members of the representation, in their order', () => {
    const snapshot = snapshotOf(recordWith(), DEFAULT_RESOLVER);
    expect(Object.keys(serializeRecord(snapshot, snapshot.uris))).toEqual([
      ...[
        'identifier',
        'namingAuthority',
        'guid',
        'localName',
        'metadataId',
        'describes',
        'target',
        'language',
        'state',
      ],
      ...[
        'alternateIds',
        'previousVersion',
        'newerVersions',
        'handleValues',
        'sandbox',
        'version',
        'createdAt',
        'updatedAt',
        'leaseUntil',
        'tombstone',
        'uris',
      ],
    ]);
  });
});
