import { describe, expect, it } from '@jest/globals';
import { toCordraId, toFedoraPid, toHandle } from '@mintmark/identifier';
import { canonicalNameOf } from '../../src/registry/canonical-name.js';
import { areSameNames, denotes, isAt, isNameOf, isSameName, keyCollision } from '../../src/registry/key-collision.js';
import { addressIn } from '../../src/registry/naming-authority-snapshot.js';
import { GUID, authorityWith } from '../records.js';

const handle = (text: string) => toHandle(text, { charset: 'unicode' });

describe('a stored name', () => {
  it.each([
    ['hdl:Ark/b', canonicalNameOf(handle('ark/b'), { foldsCase: false }), true],
    ['hdl:20.500/b', canonicalNameOf(handle('20.500/B'), { foldsCase: false }), false],
    ['hdl:20.500/b', canonicalNameOf(handle('20.500/B'), { foldsCase: true }), true],
    ['hdl:20.500/a%20b', canonicalNameOf(handle('20.500/a b'), { foldsCase: false }), true],
    [`hdl:100.102/${GUID}?v=1`, canonicalNameOf(toCordraId(`100.102/${GUID}`), { foldsCase: false }), true],
    ['info:fedora/demo:1', canonicalNameOf(toFedoraPid('demo:1'), { foldsCase: false }), true],
    ['info:fedora/demo:2', canonicalNameOf(toFedoraPid('demo:1'), { foldsCase: false }), false],
    ['no name', canonicalNameOf(toFedoraPid('demo:1'), { foldsCase: false }), false],
  ])('%s is compared with the name by whose key it was found', (stored, name, isSame) => {
    expect(denotes(stored, name)).toBe(isSame);
  });

  it.each([
    [{ profile: 'cordra' }, GUID, 'any', true],
    [{ profile: 'handle' }, 'a', 'a', true],
    [{ profile: 'handle' }, 'a', 'A', false],
    [{ profile: 'handle', caseInsensitive: true }, 'a', 'A', true],
    [{ profile: 'handle', caseInsensitive: true }, 'ä', 'Ä', false],
  ] as const)('is at an address of %j: %s and %s', (settings, requested, stored, isSame) => {
    expect(isAt(stored, addressIn(authorityWith(settings), requested))).toBe(isSame);
  });

  it.each([
    [`hdl:100.102/${GUID}`, true],
    [`hdl:100.102/${GUID}?v=1`, true],
    ['hdl:100.102/00000000000000000000000000000000', false],
    ['info:fedora/demo:1', false],
  ])('%s is compared with the identifier that it is to denote', (stored, isSame) => {
    expect(isNameOf(stored, { namingAuthority: '100.102', guid: GUID, localName: GUID }, false)).toBe(isSame);
  });

  it.each([
    ['hdl:Ark/Name', true, true],
    ['hdl:ARK/Name', true, true],
    ['hdl:Ark/NAME', false, true],
    ['hdl:Ark/names', false, false],
    ['hdl:Ark.1/Name', false, false],
  ])('%s is compared with a Handle by the rule of its naming authority', (stored, exactly, folded) => {
    const record = { namingAuthority: 'Ark', guid: null, localName: 'Name' };
    expect([isNameOf(stored, record, false), isNameOf(stored, record, true)]).toEqual([exactly, folded]);
  });

  const digits = GUID.toLowerCase();
  const hyphened = 'f58fb49e-b1f8-48f0-a606-e84cef294be5';

  it.each([
    [`hdl:777/${digits}`, handle(`777/${digits}`), true],
    [`hdl:777/${digits}`, handle(`777/${GUID}`), false],
    [`hdl:777/${GUID}`, handle(`777/${digits}`), false],
    [`hdl:777/${hyphened}`, handle(`777/${digits}`), false],
    [`hdl:777/${digits}%3Fx`, handle(`777/${digits}?x`), true],
    [`hdl:777/${digits}%3Fx`, handle(`777/${digits}?y`), false],
    [`hdl:777/${digits}`, toCordraId(`777/${GUID}`), true],
    [`hdl:777/${hyphened}`, toCordraId(`777/${GUID}`), true],
    [`hdl:777/${digits}%3Fx`, toCordraId(`777/${GUID}?y`), true],
  ])('%s, found by the key of 32 digits, is compared exactly with another Handle: %j', (stored, name, isSame) => {
    expect(denotes(stored, canonicalNameOf(name, { foldsCase: false }))).toBe(isSame);
  });
});

describe('a name that a record has', () => {
  it.each([
    ['?v=1', '?v=1', true],
    ['?v=%7e1', '?v=~1', true],
    ['', '?v=1', false],
    ['?v=1', '', false],
    ['?v=1', '?v=2', false],
    ['', '#', false],
    ['?v=1#a', '?v=1#b', false],
  ])('CID-18, CID-21: with %j is the one with %j: %s', (stored, requested, isSame) => {
    const { canonical } = canonicalNameOf(toCordraId(`100.102/${GUID}${stored}`), { foldsCase: false });
    const name = canonicalNameOf(toCordraId(`100.102/${GUID}${requested}`), { foldsCase: false });
    expect([isSameName(canonical, name), areSameNames([canonical], [name])]).toEqual([isSame, isSame]);
  });
});

it('a collision names the part of the request', () => {
  const { code, extensions } = keyCollision('/metadataId');
  expect([code, extensions.errors?.[0]?.pointer]).toEqual(['KEY_COLLISION', '/metadataId']);
});
