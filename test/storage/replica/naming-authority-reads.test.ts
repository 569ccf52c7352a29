import { describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { Replica } from '../../../src/database/replica/replica.js';
import { NamingAuthorityCache } from '../../../src/storage/naming-authorities/naming-authority-cache.js';
import { NamingAuthorityReads } from '../../../src/storage/replica/reads.js';

const RESOLVER = { scheme: 'https', authority: 'hdl.handle.net', firstSegment: null } as never;

function row(state: 'active' | 'suspended') {
  const at = new Date('2026-01-01');
  return {
    ...{
      id: 1,
      prefix: '100.102',
      profile: 'cordra',
      case_sensitive: false,
      state,
      version: state === 'active' ? 1 : 2,
    },
    ...{ created_at: at, updated_at: at, handle_users: [], resolver_scheme: null, resolver_authority: null },
    ...{ resolver_first_segment: null, metadata_id_scheme: 'recognized' },
  };
}

/** A primary that can be away and has suspended a naming authority, which is active at the replica. */
function servers() {
  const state = { isAway: true };
  const primary = new NamingAuthorityCache(
    {
      query: () => (state.isAway ? Promise.reject(new Error('away')) : Promise.resolve({ rows: [row('suspended')] })),
    } as unknown as pg.Pool,
    RESOLVER,
  );
  const replica = {
    isUsable: true,
    watch: { isPrimaryAway: false },
    query: () => Promise.resolve({ rows: [row('active')] }),
  };
  return { state, primary, reads: new NamingAuthorityReads(primary, replica as unknown as Replica, RESOLVER) };
}

describe('the naming authorities while the primary is away', () => {
  it('are those of the replica for reads, and not for writes', async () => {
    const { state, primary, reads } = servers();
    expect((await reads.current()).find('100.102')?.state).toBe('active');
    expect([reads.isCurrent, reads.latest?.find('100.102')?.state]).toEqual([true, 'active']);
    await expect(primary.currentFor(['100.102'])).rejects.toThrow('away');
    expect(primary.latest).toBeNull();
    state.isAway = false;
    expect((await primary.currentFor(['100.102'])).find('100.102')?.state).toBe('suspended');
    expect((await reads.current()).find('100.102')?.state).toBe('suspended');
  });
});
