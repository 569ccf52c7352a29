import { describe, expect, it } from '@jest/globals';
import { OPEN_ACCESS } from '../../src/access/principal.js';
import type { MintJob } from '../../src/minting/mint-outcome.js';
import { type UpdatingMints, turnsOf } from '../../src/minting/mint-turns.js';
import { parseMintRequest } from '../../src/registry/mint-command.js';
import { KNOWN } from '../records.js';

const guid = (digit: number) => String(digit).repeat(32);
const name = (digit: number) => `100.102/${guid(digit)}`;

/** The turns of mints, as their places in the list. */
function turns(
  requests: readonly object[],
  waits: (job: MintJob) => boolean = () => true,
  updatingIn: (jobs: readonly MintJob[]) => UpdatingMints | null = () => null,
) {
  const jobs = requests.map((fields): MintJob => ({
    command: parseMintRequest({ namingAuthority: '100.102', ...fields }, KNOWN),
    context: { actor: { client: 'test', keyId: null }, request: null },
    ...{ known: KNOWN, reader: OPEN_ACCESS },
  }));
  return turnsOf(jobs, waits, updatingIn(jobs)).map((turn) => turn.map((job) => jobs.indexOf(job)));
}

describe('the turns of mints', () => {
  it('put a mint after the earlier one that it names, and no other mint', () => {
    const requests = [
      { guid: guid(1) },
      { guid: guid(2), previousVersion: name(1) },
      { guid: guid(3), previousVersion: name(2) },
      { guid: guid(4), previousVersion: name(5) },
      { guid: guid(5) },
      { previousVersion: `hdl:${name(1)}` },
      { previousVersion: 'hdl:77.7/a' },
    ];
    expect(turns(requests)).toEqual([[0, 3, 4, 6], [1, 5], [2]]);
  });

  it('are one turn if no mint waits', () => {
    expect(turns([{ guid: guid(1) }, { previousVersion: name(1) }], () => false)).toEqual([[0, 1]]);
  });

  it('keep the order of mints with a common metadata ID or alternate', () => {
    const first = { guid: guid(1) };
    const waiting = { previousVersion: name(1), metadataId: 'demo:1', alternateIds: ['demo:2'] };
    expect(turns([first, waiting, { metadataId: 'demo:1' }, { alternateIds: ['demo:2'] }, {}])).toEqual([
      [0, 4],
      [1, 2, 3],
    ]);
  });

  it('put a mint after an earlier update with a common value, or that can release an alternate for it', () => {
    const update = { metadataId: 'demo:1', onExisting: 'update' };
    const requests = [
      { ...update, alternateIds: ['demo:2'] },
      { metadataId: 'demo:3', alternateIds: ['demo:2'] },
      { alternateIds: ['demo:4'] },
      { ...update, alternateIds: [] },
      { alternateIds: ['demo:2'] },
      { metadataId: 'demo:5' },
    ];
    const updatingIn = (jobs: readonly MintJob[]) =>
      new Map([0, 3].map((index) => [jobs[index]!, new Set(index === 0 ? [jobs[2]!] : [])]));
    expect(turns(requests, () => false, updatingIn)).toEqual([[0, 5], [1, 2, 3], [4]]);
  });

  it('are found in linear time for many mints with many common values', () => {
    const alternateIds = Array.from({ length: 100 }, (_, index) => `demo:${index}`);
    const requests = Array.from({ length: 3000 }, () => ({ metadataId: 'demo:m', onExisting: 'update', alternateIds }));
    const updatingIn = (jobs: readonly MintJob[]) => new Map(jobs.map((job) => [job, new Set<MintJob>()]));
    expect(turns(requests, () => false, updatingIn)).toHaveLength(3000);
  });
});
