import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RESOLVER } from '@mintmark/identifier';
import { OPEN_ACCESS } from '../../src/access/principal.js';
import { buildCandidates } from '../../src/minting/build-candidates.js';
import { Problem } from '../../src/problem/problem.js';
import { parseMintRequest } from '../../src/registry/mint-command.js';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import { authorityWith } from '../records.js';

const snapshot = (version: number) =>
  new NamingAuthoritySnapshot(
    ['100.102', '100.103'].map((prefix) => authorityWith({ prefix, version })),
    DEFAULT_RESOLVER,
  );
const view = snapshot(1).seenBy({}, (prefix) => prefix === '100.102');

/** Builds a mint again after the naming authorities were read again. */
function rebuilt(namingAuthority: string) {
  const command = parseMintRequest({ namingAuthority }, view);
  const job = {
    command,
    context: { actor: { client: 'test', keyId: null }, request: null },
    known: view,
    reader: OPEN_ACCESS,
  };
  const context = {
    guids: { next: () => 'f58fb49e-b1f8-48f0-a606-e84cef294be5' },
    latest: snapshot(2),
    previousVersions: new Map(),
  };
  const { rejected, candidates } = buildCandidates([{ job, attempt: 2 }], context);
  const problem = rejected[0]?.result;
  return problem instanceof Problem ? problem.code : candidates[0]?.item.authority.version;
}

describe('a mint that is built again', () => {
  it('has the naming authority as it is now', () => {
    expect(rebuilt('100.102')).toBe(2);
  });

  it('sees no naming authority that is hidden from the client', () => {
    expect(rebuilt('100.103')).toBe('UNKNOWN_NAMING_AUTHORITY');
  });
});
