import { expect } from '@jest/globals';
import type { Answer } from '../harness/client.js';
import { type Order, type Verdict, judge, tell } from './mint-laws.js';
import { uuidSpellings } from './names.js';
import type { Kept, Registry } from './registry.js';
import { type World, expectRefused, expectShown } from './world.js';

/** A request that mints: one order alone, or several as a batch. */
export interface MintRequest {
  readonly mode: 'alone' | 'perItem' | 'atomic';
  readonly orders: readonly Order[];
  readonly key: string | null;
}

/** Sends a request in some spelling, and holds the answer against the model, which learns from it. */
export async function mint(registry: Registry, world: World, request: MintRequest, spelling: number): Promise<void> {
  const { mode, orders, key } = request;
  const bodies = orders.map((order, index) => bodyOf(order, registry, spelling + index));
  const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key };
  const answer =
    mode === 'alone'
      ? await world.client.post('/identifiers', bodies[0], headers)
      : await world.client.post(`/identifiers/batch?mode=${mode}`, { items: bodies }, headers);
  const meaning = JSON.stringify([mode, orders]);
  const earlier = key === null ? undefined : registry.keyed.get(key);
  if (earlier === undefined) {
    expect(answer.headers.get('idempotency-replayed')).toBeNull();
    const kept = settle(registry, request, answer);
    if (kept !== null && key !== null) registry.keyed.set(key, { meaning, results: kept });
  } else if (earlier.meaning === meaning) {
    expect(answer.headers.get('idempotency-replayed')).toBe('true');
    resultsOf(answer, request).forEach((result, index) => {
      expectKept(result, earlier.results[index], registry);
    });
  } else {
    const { verdicts } = judge(registry, orders);
    const isRefusedAnyway = mode === 'atomic' && verdicts.some(({ kind }) => kind === 'refused');
    expectRefused(answer.status, answer.body, [
      'IDEMPOTENCY_KEY_REUSED',
      ...(isRefusedAnyway ? ['BATCH_REFUSED'] : []),
    ]);
  }
  if (mode === 'alone' && answer.status < 300) world.remember(answer);
}

/** @returns what is kept under the key; null when everything was refused and the key is free. */
function settle(registry: Registry, request: MintRequest, answer: Answer): Kept[] | null {
  const { verdicts, entries } = judge(registry, request.orders);
  const isRefused = verdicts.some(({ kind }) => kind === 'refused');
  if (request.mode === 'atomic' && isRefused) {
    expectRefused(answer.status, answer.body, ['BATCH_REFUSED']);
    return null;
  }
  const results = resultsOf(answer, request);
  expect(results).toHaveLength(verdicts.length);
  verdicts.forEach((verdict, index) => {
    const shown = results[index].identifier;
    if (verdict.kind !== 'minted' || shown === undefined) return;
    const pair = verdict.pairAt === null ? [] : [shown.metadataRecord?.guid];
    for (const guid of [...(request.orders[index]?.guid === null ? [shown.guid] : []), ...pair]) {
      expect(guid).toMatch(/^[0-9A-F]{12}4[0-9A-F]{3}[89AB][0-9A-F]{15}$/);
      expect(entries.map((entry) => entry.guid)).not.toContain(guid);
    }
    tell(entries, verdict.at, verdict.pairAt, shown.guid, pair[0]);
  });
  registry.entries = entries;
  const kept = verdicts.map((verdict, index) => keep(verdict, results[index]));
  kept.forEach((each, index) => {
    expectKept(results[index], each, registry, request.mode === 'alone' ? undefined : entries.at(-1)?.request);
  });
  return request.mode === 'alone' && isRefused ? null : kept;
}

function keep(verdict: Verdict, { status, problem }: any): Kept {
  if (verdict.kind === 'minted') return { status: 201, at: verdict.at, pairAt: verdict.pairAt };
  if (verdict.kind === 'existing') return { status: 200, at: verdict.at, pairAt: null };
  expectRefused(status, problem, verdict.codes);
  if (problem.code.endsWith('_TAKEN')) expect(verdict.existing).toContain(problem.existing);
  return { code: problem.code };
}

/** A repeat shows identifiers as they are now, and refusals as they were (decisions 15 and 71). */
function expectKept(
  { status, identifier, problem }: any,
  kept: Kept | undefined,
  registry: Registry,
  batch?: number,
): void {
  if (kept === undefined || 'code' in kept) {
    expectRefused(status, problem, [kept?.code ?? 'a result more than there are items']);
    return;
  }
  const [entry, pair] = [registry.entries[kept.at], registry.entries[kept.pairAt ?? -1]];
  expect([status, problem?.code]).toEqual([kept.status, undefined]);
  if (entry !== undefined) expectShown(identifier, entry, registry, batch);
  if (pair === undefined) expect(identifier.metadataRecord).toBeNull();
  else expectShown(identifier.metadataRecord, pair, registry, batch);
}

/** The results of a batch, and the answer to a request alone as if it were one. */
function resultsOf({ status, headers, body }: Answer, { mode }: MintRequest): any[] {
  if (mode !== 'alone') {
    expect(status).toBe(200);
    return body.results as Record<string, unknown>[];
  }
  if (status >= 400) return [{ status, problem: body }];
  expect(headers.get('location')).toBe(`/identifiers/${body.identifier as string}`);
  return [{ status, identifier: body }];
}

/** Writes an order as a body; all spellings of it mean the same request (decisions 16 and 38). */
function bodyOf(order: Order, registry: Registry, spelling: number): object {
  const { namingAuthority, metadataId, pair, target, alternateIds, guid, reserved, rejectsExisting } = order;
  const isTerse = spelling % 2 === 0;
  const texts = alternateIds.map((alternate, index) => registry.text(alternate, spelling + index));
  const again = isTerse ? [] : alternateIds.map((alternate) => registry.text(alternate, spelling + 1));
  const uuids = guid === null ? [] : uuidSpellings(guid);
  const lease = isTerse ? '2126-01-01T00:00:00Z' : '2126-01-01T01:00:00.000+01:00';
  return {
    namingAuthority,
    ...(metadataId !== null && { metadataId: registry.text(metadataId, spelling) }),
    ...((pair || !isTerse) && { mintMetadataId: pair }),
    ...(target !== null && { target }),
    ...((texts.length > 0 || !isTerse) && { alternateIds: [...texts, ...again] }),
    ...(guid !== null && { guid: uuids[spelling % uuids.length] }),
    ...(reserved ? { state: 'reserved', leaseUntil: lease } : !isTerse && { state: 'active' }),
    ...(rejectsExisting ? { onExisting: 'reject' } : !isTerse && { onExisting: 'return' }),
  };
}
