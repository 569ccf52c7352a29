import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RESOLVER, toCordraId } from '@mintmark/identifier';
import { Problem } from '../../src/problem/problem.js';
import type { IdentifierRecord } from '../../src/registry/identifier-record.js';
import type { CanonicalName } from '../../src/registry/canonical-name.js';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import { predecessorOf, readPredecessor } from '../../src/registry/predecessor.js';
import { GUID, authorityWith, recordWith } from '../records.js';

const OTHER = 'A3D8BE7457C943FFB66ED4583059A8BA';
const all = new NamingAuthoritySnapshot(
  [authorityWith(), authorityWith({ prefix: '20', profile: 'handle', caseInsensitive: true })],
  DEFAULT_RESOLVER,
);
const restricted = all.seenBy({}, (prefix) => prefix === '100.102');
const SELF = all.canonicalName(toCordraId(`100.102/${GUID}`));

const decide = (text: string, found: IdentifierRecord | null, known = all, self: CanonicalName | null = SELF) =>
  predecessorOf(readPredecessor(text, known, '/previousVersion'), found, self);

function rejection(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return [error.code, error.extensions.errors?.[0]?.pointer];
    throw error;
  }
  return null;
}

describe('the name of a previous version', () => {
  it.each([
    [
      `hdl:100.102/${OTHER.toLowerCase()}?x#y`,
      `hdl:100.102/${OTHER}`,
      `hdl:100.102/${OTHER}`,
      'b97bb5e8-66fe-59b1-f798-87ef32685fe8',
    ],
    ['hdl:20/a%20B', 'hdl:20/a%20B', 'hdl:20/A B', '0d334606-9ff7-805d-e882-397081c7cde3'],
    ['77.7/a', 'hdl:77.7/a', 'hdl:77.7/a', '9ee5739a-8d80-cc91-d861-50c156305617'],
    ['demo:7', 'info:fedora/demo:7', 'info:fedora/demo:7', '05db6eee-dcff-8f36-223e-92aa196302f2'],
  ])('R-28: %s is stored as %s, and found by the key of %s', (text, stored, comparison, key) => {
    expect(readPredecessor(text, all, '/previousVersion')).toMatchObject({ canonical: stored, comparison, key });
  });

  it.each([
    ['100.102/xyz', 'INVALID_GUID'],
    [OTHER, 'MISSING_SEPARATOR'],
  ])('%s is rejected with %s', (text, code) => {
    expect(rejection(() => readPredecessor(text, all, '/previousVersion'))).toEqual([code, '/previousVersion']);
  });
});

describe('the decision about a previous version', () => {
  const other = recordWith({ id: 8n, guid: OTHER, localName: OTHER });

  it.each(['active', 'withdrawn'] as const)(
    'accepts a registered one that is %s, in its registered spelling',
    (state) => {
      const found = recordWith({
        namingAuthority: '20',
        guid: null,
        localName: 'Name',
        state,
        previousVersion: '20/older',
      });
      expect(decide('20/NAME', found)).toEqual({
        canonical: 'hdl:20/Name',
        key: '389ad92b-ec50-12d6-53d6-ddc326149080',
        keyFoldsCase: true,
        needsHandle: true,
        id: 7n,
      });
    },
  );

  it('accepts names of other registries without a record', () => {
    expect(decide('77.7/a', null).canonical).toBe('hdl:77.7/a');
    expect(decide('demo:7', null, restricted).canonical).toBe('info:fedora/demo:7');
  });

  it.each([
    ['is not registered', `100.102/${OTHER}`, null, all],
    ['is reserved', `100.102/${OTHER}`, { ...other, state: 'reserved' as const }, all],
    ['is the identifier itself', `hdl:100.102/${GUID.toLowerCase()}`, recordWith(), all],
    ['itself replaces the identifier', `100.102/${OTHER}`, { ...other, previousVersion: `hdl:100.102/${GUID}` }, all],
    ['is hidden', '20/name', null, restricted],
    ['is of a naming authority that a restricted key cannot know', '77.7/a', null, restricted],
  ])('rejects one that %s', (_, text, found, known) => {
    expect(rejection(() => decide(text, found, known))).toEqual(['INVALID_PREDECESSOR', '/previousVersion']);
  });

  it('compares a generated name with nothing', () => {
    expect(decide(`100.102/${OTHER}`, other, all, null).canonical).toBe(`hdl:100.102/${OTHER}`);
  });
});
