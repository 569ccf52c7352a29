import { expect } from '@jest/globals';
import type { Answer } from '../../harness/client.js';
import { type ExpectedOutcome, type MintCommand, assignGuids, expectedOutcomes, givenIn } from './mint-rules.js';
import { asAlternate, uuidSpellings } from './names.js';
import { type Registry, type StoredResult, identifierOf } from './registry.js';
import { type Real, expectRejected, expectShown } from './real.js';

/** A mint request: a single command, or several as a batch. */
export interface MintRequest {
  readonly mode: 'alone' | 'perItem' | 'atomic';
  readonly items: readonly MintCommand[];
  readonly key: string | null;
}

/** Sends a request in some notation, compares the response with the model, and updates the model. */
export async function mint(registry: Registry, real: Real, request: MintRequest, spelling: number): Promise<void> {
  const { mode, items, key } = request;
  const bodies = items.map((command, index) => bodyOf(command, registry, spelling + index));
  const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key };
  const answer =
    mode === 'alone'
      ? await real.client.post('/identifiers', bodies[0], headers)
      : await real.client.post(`/identifiers/batch?mode=${mode}`, { items: bodies }, headers);
  const fingerprint = JSON.stringify([mode, items]);
  const earlier = key === null ? undefined : registry.keyed.get(key);
  if (earlier === undefined) {
    expect(answer.headers.get('idempotency-replayed')).toBeNull();
    const stored = expectFirstResult(registry, request, answer, spelling);
    if (stored !== null && key !== null) registry.keyed.set(key, { fingerprint, results: stored });
  } else if (earlier.fingerprint === fingerprint) {
    expect(answer.headers.get('idempotency-replayed')).toBe('true');
    resultsOf(answer, request).forEach((result, index) => {
      expectReplay(result, earlier.results[index], registry);
    });
  } else {
    const { outcomes } = expectedOutcomes(registry, items, spelling);
    const isRejectedAnyway = mode === 'atomic' && outcomes.some(({ kind }) => kind === 'rejected');
    expectRejected(answer.status, answer.body, [
      'IDEMPOTENCY_KEY_REUSED',
      ...(isRejectedAnyway ? ['BATCH_REFUSED'] : []),
    ]);
  }
  if (mode === 'alone' && answer.status < 300) real.recordTag(answer);
}

/** @returns the result stored under the key; null when everything was rejected and the key is free. */
function expectFirstResult(
  registry: Registry,
  request: MintRequest,
  answer: Answer,
  spelling: number,
): StoredResult[] | null {
  const { outcomes, entries } = expectedOutcomes(registry, request.items, spelling);
  const isRejected = outcomes.some(({ kind }) => kind === 'rejected');
  if (request.mode === 'atomic' && isRejected) {
    expectRejected(answer.status, answer.body, ['BATCH_REFUSED']);
    return null;
  }
  const results = resultsOf(answer, request);
  expect(results).toHaveLength(outcomes.length);
  outcomes.forEach((outcome, index) => {
    const shown = results[index].record;
    if (outcome.kind !== 'minted' || shown === undefined) return;
    const pair = outcome.pairAt === null ? [] : [(results[index].metadataRecord ?? shown.metadataRecord)?.guid];
    for (const guid of [...(request.items[index]?.guid === null ? [shown.guid] : []), ...pair]) {
      expect(guid).toMatch(/^[0-9A-F]{12}4[0-9A-F]{3}[89AB][0-9A-F]{15}$/);
      expect(entries.map((entry) => entry.guid)).not.toContain(guid);
    }
    assignGuids(entries, outcome.at, outcome.pairAt, shown.guid, pair[0]);
  });
  registry.entries = entries;
  const stored = outcomes.map((outcome, index) => storedResultOf(outcome, results[index], registry));
  stored.forEach((each, index) => {
    expectReplay(results[index], each, registry, request.mode === 'alone' ? undefined : entries.at(-1)?.request);
  });
  return request.mode === 'alone' && isRejected ? null : stored;
}

function storedResultOf(outcome: ExpectedOutcome, { status, problem }: any, registry: Registry): StoredResult {
  if (outcome.kind === 'minted') return { status: 201, at: outcome.at, pairAt: outcome.pairAt };
  if (outcome.kind === 'existing') return { status: 200, at: outcome.at, pairAt: null };
  expectRejected(status, problem, outcome.codes);
  const existing = outcome.existing.flatMap((at) => registry.entries[at] ?? []);
  if (problem.code.endsWith('_TAKEN'))
    expect(existing.map((entry) => `/identifiers/${identifierOf(entry)}`)).toContain(problem.existing);
  if (outcome.contradicted !== undefined) {
    const pointers = problem.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(pointers).toEqual(['/metadataId', ...outcome.contradicted.map((name) => `/${name}`)]);
    expect(problem.tombstone?.reason).toBe(outcome.reason);
  }
  return { code: problem.code };
}

/** A replay returns current attributes of identifiers, and stored rejections (decision 6). */
function expectReplay(
  { status, record, metadataRecord = record?.metadataRecord, problem }: any,
  stored: StoredResult | undefined,
  registry: Registry,
  batch?: number,
): void {
  if (stored === undefined || 'code' in stored) {
    expectRejected(status, problem, [stored?.code ?? 'a result more than there are items']);
    return;
  }
  const [entry, pair] = [registry.entries[stored.at], registry.entries[stored.pairAt ?? -1]];
  expect([status, problem?.code]).toEqual([stored.status, undefined]);
  if (entry !== undefined) expectShown(record, entry, registry, batch);
  if (pair === undefined) expect(metadataRecord).toBeNull();
  else expectShown(metadataRecord, pair, registry, batch);
}

/** The results of a batch, or the response to a single mint as a batch of one. */
function resultsOf({ status, headers, body }: Answer, { mode }: MintRequest): any[] {
  if (mode !== 'alone') {
    expect(status).toBe(200);
    return body.items as Record<string, unknown>[];
  }
  if (status >= 400) return [{ status, problem: body }];
  expect(headers.get('location')).toBe(`/identifiers/${body.identifier as string}`);
  return [{ status, record: body }];
}

/** Writes a command as a body; all its notations have one fingerprint (decision 6). */
function bodyOf(command: MintCommand, registry: Registry, spelling: number): object {
  const { namingAuthority, metadataId, pair, alternateIds, guid, onExisting } = command;
  const given = givenIn(command, spelling);
  const isTerse = spelling % 2 === 0;
  const texts = alternateIds.map((alternate, index) => asAlternate(registry.text(alternate, spelling + index)));
  const again = isTerse ? [] : alternateIds.map((alternate) => asAlternate(registry.text(alternate, spelling + 1)));
  const uuids = guid === null ? [] : uuidSpellings(guid);
  const lease = isTerse ? '2126-01-01T00:00:00Z' : '2126-01-01T01:00:00.000+01:00';
  return {
    namingAuthority,
    ...(metadataId !== null && { metadataId: registry.text(metadataId, spelling) }),
    ...((pair || !isTerse) && { mintMetadataId: pair }),
    ...('target' in given && { target: given.target }),
    ...('alternateIds' in given && { alternateIds: [...texts, ...again] }),
    ...(guid !== null && { guid: uuids[spelling % uuids.length] }),
    ...('state' in given && { state: given.state }),
    ...(given.state === 'reserved' && { leaseUntil: lease }),
    ...((onExisting !== 'match' || !isTerse) && { onExisting }),
  };
}
