import { describe, expect, it } from '@jest/globals';
import { OPEN_ACCESS } from '../../src/access/principal.js';
import { FindingService } from '../../src/finding/finding.service.js';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import { NearIdentifiers } from '../../src/storage/identifiers/near-identifiers.js';

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';

describe('the search of the nearest name', () => {
  it('is not made for a look-up of one text, whose hint is asked for afterwards', async () => {
    let searches = 0;
    const authority = { prefix: '100.102', profile: 'cordra', caseInsensitive: false, resolver: null };
    const known = new NamingAuthoritySnapshot([authority as never], { prefix: 'https://hdl.handle.net/' } as never);
    const authorities = { current: () => Promise.resolve(known), refresh: () => Promise.resolve(known) };
    const reads = { search: () => Promise.resolve([{ matches: [], record: null }]) };
    const near = { find: () => Promise.resolve(((searches += 1), null)) };
    const finding = new FindingService(reads as never, authorities as never, near as never);
    expect((await finding.findOne(`100.102/${GUID}`, 'localhost', OPEN_ACCESS)).reason).toBe('unknown');
    expect(searches).toBe(0);
    expect(await finding.hintFor(`100.102/${GUID}`, OPEN_ACCESS)).not.toBeNull();
    expect(searches).toBe(1);
  });

  it('computes no candidates beyond its bound', async () => {
    let computed = 0;
    const near = new NearIdentifiers({ query: () => Promise.resolve({ rows: [] }) } as never);
    const search = () => {
      computed += 1;
      return { namingAuthority: '100.102', guids: [GUID], localKeys: [], start: null };
    };
    await Promise.all(Array.from({ length: 1000 }, () => near.find(search)));
    // Two seconds can meet in the loop.
    expect(computed).toBeGreaterThanOrEqual(100);
    expect(computed).toBeLessThanOrEqual(200);
  });
});
