import { describe, expect, it } from '@jest/globals';
import { OPEN_ACCESS, Principal } from '../../src/access/principal.js';
import { type ChangeRequest, readChange, textsIn } from '../../src/changing/change-line.js';
import { Problem } from '../../src/problem/problem.js';
import { GUID, KNOWN } from '../records.js';

const ID = `100.102/${GUID}`;
const received = (request: ChangeRequest | Problem, content = 'x') => ({
  ...{ line: 7, clientRef: 'row', request },
  content: () => content,
});
const read = (request: ChangeRequest, principal = OPEN_ACCESS) => readChange(received(request), KNOWN, principal);
const rejection = (request: ChangeRequest, principal = OPEN_ACCESS) => {
  const { change } = read(request, principal);
  return change instanceof Problem ? [change.code, change.extensions.errors?.[0]?.pointer] : null;
};

describe('a line of changes', () => {
  it.each([
    ['values', { target: null, alternateIds: [] }, { step: 'changed', values: { target: null, alternates: [] } }],
    ['nothing', {}, { step: 'changed', values: {} }],
    ['an activation', { activate: true, target: null }, { step: 'activated', values: { target: null } }],
    [
      'an activation with its metadata record',
      { activate: true, metadataTarget: 'https://a.example/' },
      { step: 'activated', values: {}, metadataTarget: 'https://a.example/' },
    ],
    ['a withdrawal', { withdraw: { reason: 'x' } }, { step: 'withdrawn', reason: 'x', replacement: null }],
    ['a reinstatement', { reinstate: true, activate: false }, { step: 'reinstated' }],
  ])('with %s is that step', (_, members, step) => {
    const { line, clientRef, change } = read({ identifier: ID, ifVersion: 3, ...members });
    expect([line, clientRef]).toEqual([7, 'row']);
    expect(change).toMatchObject({ step, ifVersion: 3, address: { namingAuthority: '100.102', guid: GUID } });
  });

  it.each([
    ['two steps', { reinstate: true, activate: true }, 'INVALID_REQUEST', '/activate'],
    ['a withdrawal with values', { withdraw: { reason: 'x' }, metadataId: null }, 'INVALID_REQUEST', '/metadataId'],
    ['a reinstatement with values', { reinstate: true, alternateIds: [] }, 'INVALID_REQUEST', '/alternateIds'],
    [
      'a malformed replacement',
      { withdraw: { reason: 'x', replacedBy: '?' } },
      'NOT_RECOGNIZED',
      '/withdraw/replacedBy',
    ],
    ['a malformed alternate', { alternateIds: ['demo:7', '?'] }, 'NOT_RECOGNIZED', '/alternateIds/1'],
    [
      'the target of a metadata record without activation',
      { metadataTarget: 'https://a.example/' },
      'INVALID_REQUEST',
      '/metadataTarget',
    ],
    ['a malformed identifier', { identifier: '100.102/x' }, 'INVALID_GUID', '/identifier'],
  ])('with %s is rejected at its place', (_, members, code, pointer) => {
    expect(rejection({ identifier: ID, ...members })).toEqual([code, pointer]);
  });

  it('of a naming authority outside the grants, or without the scope, is rejected before it is looked up', () => {
    const grants = [{ namingAuthority: '100.103', derived: false }];
    expect(rejection({ identifier: ID }, new Principal('c', null, ['curate'], grants))).toEqual([
      'NAMING_AUTHORITY_FORBIDDEN',
      '/identifier',
    ]);
    expect(rejection({ identifier: ID }, new Principal('c', null, ['read'], null))?.[0]).toBe('SCOPE_MISSING');
  });

  it('of no naming authority of the service has no address', () => {
    expect(read({ identifier: '20.1000/5' }).change).toMatchObject({ address: null });
  });
});

describe('the fingerprint of a line', () => {
  const of = (request: ChangeRequest) => read(request).fingerprint;
  const base = { identifier: ID, target: 'https://a.example/', metadataId: 'demo:7' };

  it('is equal for other notations, and for another key that is permitted less', () => {
    const other = {
      ...base,
      identifier: `hdl:${ID.toLowerCase()}`,
      metadataId: 'info:fedora/demo:7',
      reinstate: false,
    };
    expect(of(other)).toBe(of(base));
    const forbidden = new Principal('c', null, ['read'], null);
    expect(read(base, forbidden).fingerprint).toBe(of(base));
  });

  it.each([
    ['another identifier', { identifier: `100.102/${'0'.repeat(32)}` }],
    ['another target', { target: null }],
    ['a version', { ifVersion: 1 }],
    ['another step', { activate: true }],
  ])('differs for %s', (_, members) => {
    expect(of({ ...base, ...members })).not.toBe(of(base));
  });

  it('differs for another query or fragment of a metadata ID or an alternate', () => {
    const guid = `2000.1/${'A'.repeat(32)}`;
    const texts = ['', '?v=1', '?v=2', '#v', '?v=1#v'].map((end) => `hdl:${guid}${end}`);
    const prints = texts.flatMap((text) => [of({ ...base, metadataId: text }), of({ ...base, alternateIds: [text] })]);
    expect(new Set(prints.map(String)).size).toBe(10);
    expect(of({ ...base, metadataId: `hdl:${guid.toLowerCase()}?v=1` })).toBe(of({ ...base, metadataId: texts[1]! }));
  });

  it('of a line that cannot be read depends on its content', () => {
    const [one, same, other] = ['{', '{', '['].map(
      (content) => readChange(received(new Problem('MALFORMED_JSON', 'x'), content), KNOWN, OPEN_ACCESS).fingerprint,
    );
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });
});

describe('the texts of a line', () => {
  it('are its names in any form', () => {
    const withdraw = { reason: 'x', replacedBy: 'hdl:1/3' };
    expect(textsIn(received({ identifier: 'a', metadataId: 'b', alternateIds: ['c'], withdraw }))).toEqual([
      ...['a', 'b', 'c', 'hdl:1/3'],
    ]);
    expect(textsIn(received({ identifier: 'a', metadataId: null }))).toEqual(['a']);
    expect(textsIn(received(new Problem('MALFORMED_JSON', 'x')))).toEqual([]);
  });
});
