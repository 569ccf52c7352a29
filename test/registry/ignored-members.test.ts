import { describe, expect, it } from '@jest/globals';
import { type SentMembers, contradictedMembers, ignoredMembers } from '../../src/registry/ignored-members.js';
import { toHandle } from '@mintmark/identifier';
import { canonicalNameOf } from '../../src/registry/canonical-name.js';
import { recordWith } from '../records.js';

const name = (canonical: string) => ({
  canonical,
  comparison: canonical,
  rule: 'exact' as const,
  key: canonical,
  keyFoldsCase: null,
  needsHandle: false,
});
const LEASE = new Date('2100-01-01T00:00:00Z');

const NOTHING: SentMembers = {
  sent: [],
  target: null,
  language: null,
  alternates: [],
  previousVersion: null,
  leaseUntil: null,
};
const TARGET: SentMembers = { ...NOTHING, sent: ['target'], target: 'https://a.example/' };
const ALTERNATES: SentMembers = { ...NOTHING, sent: ['alternateIds'], alternates: [name('a:1'), name('a:2')] };
const REPLACES: SentMembers = {
  ...{ ...NOTHING, sent: ['previousVersion'] },
  previousVersion: canonicalNameOf(toHandle('77.7/a', { charset: 'unicode' }), { foldsCase: false }),
};
const FOLDED: SentMembers = {
  ...REPLACES,
  previousVersion: canonicalNameOf(toHandle('77.7/a', { charset: 'unicode' }), { foldsCase: true }),
};
const HANDLE: SentMembers = {
  ...{ ...NOTHING, sent: ['alternateIds'] },
  alternates: [canonicalNameOf(toHandle('77.7/A', { charset: 'unicode' }), { foldsCase: true })],
};
const RESERVED: SentMembers = { ...NOTHING, sent: ['state', 'leaseUntil'], leaseUntil: LEASE };

describe('the members that an existing identifier ignores', () => {
  it.each<[string, SentMembers, Parameters<typeof recordWith>[0], string[]]>([
    ['none of a request without them', NOTHING, { target: 'https://b.example/', alternateIds: ['a:1'] }, []],
    ['none with equal values', TARGET, { target: 'https://a.example/' }, []],
    ['a target that is another one', TARGET, { target: 'https://b.example/' }, ['target']],
    ['a target that it has not', TARGET, {}, ['target']],
    ['no alternates that are equal', ALTERNATES, { alternateIds: ['a:1', 'a:2'] }, []],
    ['alternates in another order', ALTERNATES, { alternateIds: ['a:2', 'a:1'] }, ['alternateIds']],
    ['alternates of which one is another', ALTERNATES, { alternateIds: ['a:1', 'a:3'] }, ['alternateIds']],
    ['alternates of which one is missing', ALTERNATES, { alternateIds: ['a:1'] }, ['alternateIds']],
    ['an empty list', { ...NOTHING, sent: ['alternateIds'] }, { alternateIds: ['a:1'] }, ['alternateIds']],
    ['no equal previous version', REPLACES, { previousVersion: 'hdl:77.7/a' }, []],
    ['no previous version in another case, where case is ignored', FOLDED, { previousVersion: 'hdl:77.7/A' }, []],
    ['a previous version in another case', REPLACES, { previousVersion: 'hdl:77.7/A' }, ['previousVersion']],
    ['no alternate in another spelling', HANDLE, { alternateIds: ['hdl:77.7/a'] }, []],
    ['another previous version', REPLACES, { previousVersion: 'hdl:77.7/b' }, ['previousVersion']],
    ['a previous version that it has not', REPLACES, {}, ['previousVersion']],
    ['the reservation of an active one', RESERVED, {}, ['state', 'leaseUntil']],
    ['no equal lease', RESERVED, { state: 'reserved', leaseUntil: LEASE }, []],
    ['another lease', RESERVED, { state: 'reserved', leaseUntil: new Date(0) }, ['leaseUntil']],
    ['the state of a reserved one', { ...NOTHING, sent: ['state'] }, { state: 'reserved' }, ['state']],
    ['the state of a withdrawn one', { ...NOTHING, sent: ['state'] }, { state: 'withdrawn' }, ['state']],
  ])('are %s', (_, command, record, ignored) => {
    expect(ignoredMembers(command, recordWith(record))).toEqual(ignored);
  });
});

describe('the members that contradict an existing identifier', () => {
  const minted = recordWith({
    target: 'https://a.example/',
    alternateIds: ['a:1'],
    state: 'reserved',
    leaseUntil: LEASE,
  });
  const now = recordWith({ target: 'https://b.example/', alternateIds: ['a:1', 'a:2'], version: 3 });
  const all: SentMembers = {
    ...RESERVED,
    target: TARGET.target,
    sent: ['target', 'alternateIds', 'state', 'leaseUntil'],
  };

  it.each<[string, SentMembers, string[]]>([
    ['none of a request without them', NOTHING, []],
    ['none that are as minted', { ...all, alternates: [name('a:1')] }, []],
    ['none that are as now', { ...all, alternates: ALTERNATES.alternates, target: 'https://b.example/' }, []],
    ['none of which some are as minted and others as now', { ...all, alternates: ALTERNATES.alternates }, []],
    ['what was neither', { ...all, target: 'https://c.example/' }, ['target', 'alternateIds']],
    ['a lease that it never had', { ...RESERVED, leaseUntil: new Date(0) }, ['leaseUntil']],
  ])('are %s', (_, command, contradicted) => {
    expect(contradictedMembers(command, now, minted)).toEqual(contradicted);
  });

  it('are all that differ where it has not changed', () => {
    expect(contradictedMembers(TARGET, now)).toEqual(['target']);
  });
});
