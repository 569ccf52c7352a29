import { describe, expect, it } from '@jest/globals';
import { toCordraId, toFedoraPid, toHandle } from '../../src/identifier/index.js';
import { canonicalNameOf } from '../../src/registry/canonical-name.js';
import { denotes, isAt, isMetadataIdOf, keyCollision } from '../../src/registry/key-collision.js';
import { addressIn } from '../../src/registry/naming-authority-snapshot.js';
import { GUID, authorityWith } from '../records.js';

const handle = (text: string) => toHandle(text, 'unicode');

describe('a stored name', () => {
  it.each([
    ['hdl:Ark/b', canonicalNameOf(handle('ark/b'), false), true],
    ['hdl:20.500/b', canonicalNameOf(handle('20.500/B'), false), false],
    ['hdl:20.500/b', canonicalNameOf(handle('20.500/B'), true), true],
    ['hdl:20.500/a%20b', canonicalNameOf(handle('20.500/a b'), false), true],
    [`hdl:100.102/${GUID}?v=1`, canonicalNameOf(toCordraId(`100.102/${GUID}`), false), true],
    ['info:fedora/demo:1', canonicalNameOf(toFedoraPid('demo:1'), false), true],
    ['info:fedora/demo:2', canonicalNameOf(toFedoraPid('demo:1'), false), false],
    ['no name', canonicalNameOf(toFedoraPid('demo:1'), false), false],
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
    expect(isMetadataIdOf(stored, { namingAuthority: '100.102', guid: GUID, localName: GUID })).toBe(isSame);
  });

  it.each([
    ['hdl:20.500/NAME', true],
    ['hdl:20.500/names', false],
    ['hdl:20.501/name', false],
  ])('%s is compared with a Handle without the case of its letters', (stored, isSame) => {
    expect(isMetadataIdOf(stored, { namingAuthority: '20.500', guid: null, localName: 'Name' })).toBe(isSame);
  });
});

it('a collision names the part of the request', () => {
  const { code, extensions } = keyCollision('/metadataId');
  expect([code, extensions.errors?.[0]?.pointer]).toEqual(['KEY_COLLISION', '/metadataId']);
});
