import { describe, expect, it } from '@jest/globals';
import { MintingService } from '../../src/minting/minting.service.js';
import type { Candidate, MintJob } from '../../src/minting/mint-outcome.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { Problem } from '../../src/problem/problem.js';
import { parseMintRequest } from '../../src/registry/mint-command.js';
import type { Insertion } from '../../src/storage/identifiers/identifier-writer.js';
import { OPEN_ACCESS } from '../../src/access/principal.js';
import { KNOWN, recordWith } from '../records.js';

const NA = '100.102';
const job = (fields: object = {}): MintJob => ({
  command: parseMintRequest({ namingAuthority: NA, ...fields }, KNOWN),
  context: { actor: { client: 'test', keyId: null }, request: null },
  ...{ known: KNOWN, reader: OPEN_ACCESS },
});

/** Mints items while another request holds each alternate at the insert, and has none when the conflict is searched. */
async function mintContested(jobs: readonly MintJob[]) {
  const mint = ({ items }: Insertion) =>
    Promise.resolve(
      items.map(() =>
        items.some(({ alternates }) => alternates.length > 0) ? null : { record: recordWith(), metadataRecord: null },
      ),
    );
  const service = new MintingService(
    { identifier: { mint } } as never,
    { explain: (undecided: Candidate[]) => Promise.resolve({ decided: [], undecided }) } as never,
    { replace: (rejected: unknown) => Promise.resolve(rejected) } as never,
    { refresh: () => Promise.resolve(KNOWN) } as never,
    { next: () => 'f58fb49e-b1f8-48f0-a606-e84cef294be5' },
    {} as never,
    new Metrics(),
    { find: () => Promise.resolve(new Map()) } as never,
    {} as never,
  );
  const { results, failure } = await service.mintAll(jobs);
  return [
    failure,
    ...jobs.map((each) => {
      const result = results.get(each);
      return result instanceof Problem ? [result.code, result.extensions.headers] : result?.outcome;
    }),
  ];
}

describe('mints whose values are held by others at every attempt', () => {
  const contested = (name: string) => job({ alternateIds: [`demo:${name}`] });

  it('end with "in progress", and leave the items without values of their own to the next statement', async () => {
    const inProgress = ['CONFLICT_IN_PROGRESS', { 'retry-after': '1' }];
    await expect(mintContested([job(), contested('1'), contested('2'), job()])).resolves.toEqual([
      ...[null, 'created', inProgress, inProgress, 'created'],
    ]);
  });
});
