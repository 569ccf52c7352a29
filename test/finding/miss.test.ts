import { describe, expect, it } from '@jest/globals';
import { hintOf, nearSearchOf, ownNameIn } from '../../src/finding/miss.js';
import { DEFAULT_RESOLVER } from '@mintmark/identifier';
import { NamingAuthoritySnapshot, addressIn } from '../../src/registry/naming-authority-snapshot.js';
import { GUID, authorityWith } from '../records.js';

const HANDLES = authorityWith({ prefix: '20.600', profile: 'handle' });
const FOLDING = authorityWith({ prefix: '20.700', profile: 'handle', caseInsensitive: true });
const known = new NamingAuthoritySnapshot([authorityWith(), HANDLES, FOLDING], DEFAULT_RESOLVER);

describe('the hint of a registered name in a text that does not match', () => {
  it.each([
    [`http:/hdl.handle.net/100.102/${GUID.toLowerCase()}`, GUID, `100.102/${GUID}`],
    ['info:doi/20.600/Report-2026', 'Report-2026', '20.600/Report-2026'],
    ['http:/hdl.handle.net/20.600/Report-2026', 'Report-2026', '20.600/Report-2026'],
    ['http:/hdl.handle.net/hdl:20.600/Report-2026', 'Report-2026', '20.600/Report-2026'],
    ['http:/hdl.handle.net/20.700/report', 'Report', '20.700/Report'],
  ])('is about the text before it: %s', (text, near, nearest) => {
    const detail = `${nearest} is registered, but the text before it is wrong: expected for example "hdl:" or "http://hdl.handle.net/".`;
    expect(hintOf(ownNameIn([text], known)!, text, near)).toEqual({ detail, offset: 0, nearest });
  });

  it('is found, also under the profile "handle"', () => {
    const { localKeys } = nearSearchOf({ authority: HANDLES, local: 'Report-2026' });
    expect(localKeys).toContainEqual(addressIn(HANDLES, 'Report-2026').localKey);
  });
});
