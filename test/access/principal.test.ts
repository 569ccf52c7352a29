import { describe, expect, it } from '@jest/globals';
import {
  ADMIN,
  type Grant,
  OPEN_ACCESS,
  PUBLIC_READER,
  Principal,
  UNAUTHENTICATED,
  type Scope,
} from '../../src/access/principal.js';
import { Problem } from '../../src/problem/problem.js';
import { recordWith } from '../records.js';

const keyOf = (scopes: readonly Scope[], ...grants: readonly Grant[]) => new Principal('c', 'key', scopes, grants);
const ONE = keyOf(['mint'], { namingAuthority: '100.102', derived: false });
const TREE = keyOf(['mint', 'read'], { namingAuthority: 'Lib', derived: true });
const BOTH = keyOf(
  ['curate'],
  { namingAuthority: '100.102', derived: false },
  { namingAuthority: 'Lib', derived: true },
);

function rejectionOf(work: () => void) {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return [error.code, error.extensions.errors?.[0]?.pointer];
    throw error;
  }
  return null;
}

describe('the naming authorities of a principal', () => {
  const PREFIXES = ['100.102', '100.102.7', '100.1029', 'Lib', 'LIB.a', 'library', '20.500'];

  it.each([
    ['one prefix', ONE, ['100.102']],
    ['a prefix with derived ones', TREE, ['Lib', 'LIB.a']],
    ['two prefixes', BOTH, ['100.102', 'Lib', 'LIB.a']],
    ['all', ADMIN, PREFIXES],
    ['none', UNAUTHENTICATED, []],
  ])('are %s', (_, principal, covered) => {
    expect(PREFIXES.filter((prefix) => principal.covers(prefix))).toEqual(covered);
    expect(PREFIXES.filter((prefix) => principal.canSee(prefix))).toEqual(covered);
  });

  it('are all seen where reading is public, and covered as before', () => {
    const reader = ONE.withPublicRead();
    expect(PREFIXES.filter((prefix) => reader.canSee(prefix))).toEqual(PREFIXES);
    expect(PREFIXES.filter((prefix) => reader.covers(prefix))).toEqual(['100.102']);
  });
});

describe('the identifiers that a principal sees in a record', () => {
  const record = recordWith({
    describes: ['100.102/a', 'Lib/b', '100.102.7/c', '20.500/d'],
    newerVersions: ['Lib/e', '100.102/f'],
  });

  it.each([
    ['of one prefix', ONE, { describes: ['100.102/a'], newerVersions: ['100.102/f'] }],
    ['of another prefix', TREE, { describes: ['Lib/b'], newerVersions: ['Lib/e'] }],
    ['of two prefixes', BOTH, { describes: ['100.102/a', 'Lib/b'], newerVersions: ['Lib/e', '100.102/f'] }],
    ['of no prefix', UNAUTHENTICATED, { describes: [], newerVersions: [] }],
    ['of all prefixes', PUBLIC_READER, record],
    ['of one prefix where reading is public', ONE.withPublicRead(), record],
  ])('are those %s', (_, principal, shown) => {
    expect(principal.redact(record)).toEqual({ ...record, ...shown });
  });
});

describe('a requirement', () => {
  const SCOPES: readonly Scope[] = ['read', 'mint', 'register', 'curate', 'admin'];
  const POINTER = '/namingAuthority';

  it.each([
    ['its scope', ONE, ['mint']],
    ['its scopes', TREE, ['read', 'mint']],
    ['all scopes under open access', OPEN_ACCESS, SCOPES],
    ['all scopes as an administrator', ADMIN, SCOPES],
    ['none without a key', UNAUTHENTICATED, []],
  ])('is satisfied by a principal with %s', (_, principal, satisfied) => {
    const prefix = principal === TREE ? 'Lib' : '100.102';
    const isMet = (scope: Scope) =>
      rejectionOf(() => {
        principal.require(scope, prefix, POINTER);
      }) === null;
    expect(SCOPES.filter(isMet)).toEqual(satisfied);
  });

  it('names the scope first, and then the place of the naming authority', () => {
    expect(
      rejectionOf(() => {
        ONE.require('curate', '20.500', POINTER);
      }),
    ).toEqual(['SCOPE_MISSING', undefined]);
    expect(
      rejectionOf(() => {
        ONE.require('mint', '20.500', POINTER);
      }),
    ).toEqual(['NAMING_AUTHORITY_FORBIDDEN', POINTER]);
  });

  const MINT = { namingAuthority: '100.102', guid: null, localName: null, onExisting: 'return' as const };

  it.each([
    ['a mint', {}, [['mint']]],
    ['a registration of a GUID', { guid: 'A' }, [['register']]],
    ['a registration of a local name', { localName: 'a' }, [['register']]],
    ['a mint that updates', { onExisting: 'update' as const }, [['mint', 'curate']]],
    ['a registration that updates', { guid: 'A', onExisting: 'update' as const }, [['register', 'curate']]],
  ])('of %s is for its scopes and its naming authority', (_, members, satisfied) => {
    const wanted: Scope[][] = [['mint'], ['register'], ['curate'], ['mint', 'curate'], ['register', 'curate']];
    const isMet = (scopes: readonly Scope[], namingAuthority: string) =>
      rejectionOf(() => {
        keyOf(scopes, { namingAuthority, derived: true }).requireMinting({ ...MINT, ...members });
      }) === null;
    const least = wanted.filter((scopes) => isMet(scopes, '100.102'));
    expect(least.filter((scopes) => !least.some((other) => other.length < scopes.length))).toEqual(satisfied);
    expect(wanted.filter((scopes) => isMet(scopes, '100.103'))).toEqual([]);
  });
});
