import { describe, expect, it } from '@jest/globals';
import { MintReplays, type StoredResult } from '../../src/minting/mint-replays.js';
import { Problem } from '../../src/problem/problem.js';
import { parseMintRequest } from '../../src/registry/mint-command.js';
import { KNOWN, recordWith } from '../records.js';

const TARGET = 'https://a.example/';
const LEGAL = { withdrawnAt: new Date(0), reasonCode: 'legal', reason: 'x', replacedBy: null } as const;

/** The result of a repeat by a client that sees the record or not. */
async function repeat(outcome: 'replayed' | 'found', hides: boolean) {
  const record = recordWith({ id: 7n, target: TARGET, tombstone: LEGAL, state: 'withdrawn' });
  const reader = {
    async *inParts(part: unknown[]) {
      yield await Promise.resolve({ part, records: new Map([[7n, record]]) });
    },
  };
  const replays = new MintReplays(reader as never, {} as never, {} as never, {} as never);
  const command = parseMintRequest({ namingAuthority: '100.102', target: TARGET }, KNOWN);
  const mint = { command, reader: { hides: () => hides, canSee: () => true, curates: () => !hides } };
  const stored = new Map<string, StoredResult>([['mint', { outcome, id: '7' }]]);
  const result = (await replays.restore(stored, () => mint)).get('mint')!;
  return result instanceof Problem ? result.code : result.ignored;
}

describe('the members that a repeat names as ignored', () => {
  it('are those that differ from the values that the client sees', async () => {
    expect(await repeat('replayed', false)).toEqual([]);
    expect(await repeat('found', false)).toEqual([]);
  });

  it('are all of those that are hidden, so that no hidden value is confirmed', async () => {
    expect(await repeat('replayed', true)).toEqual(['target']);
    expect(await repeat('found', true)).toBe('METADATA_ID_TAKEN');
  });
});
