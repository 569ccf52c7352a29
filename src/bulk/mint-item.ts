import type { Charge } from '../access/limits/mint-budget.js';
import type { Principal } from '../access/principal.js';
import { Problem, invalidValue } from '../problem/problem.js';
import { type MintRequest, canonicalMint, parseMintRequest } from '../registry/mint-command.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { type MintJob, type MintResult, withUnderstood } from '../minting/mint-outcome.js';

/** Maximum number of items per statement. All statements of a batch share one transaction. */
const MINT_SLICE = 500;

/** One of many mint requests. By default, it has the naming authority of the batch or stream. */
export type ItemRequest = Omit<MintRequest, 'namingAuthority'> & Partial<Pick<MintRequest, 'namingAuthority'>>;

/** An item as it was received: its request, or the problem of its format. */
export interface ReceivedItem {
  readonly clientRef: string | null;
  readonly request: ItemRequest | Problem;
  /** The item as it was received, which is the source of its fingerprint if it is rejected. */
  readonly value: unknown;
}

export interface MintItem {
  readonly clientRef: string | null;
  /** The mint, or a Problem with pointers into the item if the item is invalid or not permitted. */
  readonly job: MintJob | Problem;
  /** The fingerprint source of the item: canonical JSON or, if the item is rejected, the item and its default naming authority. */
  readonly canonical: string;
}

/** The naming authorities of well-formed items; an item that names none has the default. */
export function prefixesOf(items: readonly ReceivedItem[], byDefault: string | undefined): Set<string> {
  return new Set(
    items.flatMap(({ request }) => (request instanceof Problem ? [] : (request.namingAuthority ?? byDefault ?? []))),
  );
}

/** Parses and authorizes an item. The mint has no idempotency key of its own. */
export function parseItem(
  { clientRef, request, value }: ReceivedItem,
  byDefault: string | undefined,
  known: NamingAuthoritySnapshot,
  principal: Principal,
): MintItem {
  try {
    if (request instanceof Problem) throw request;
    const namingAuthority = request.namingAuthority ?? byDefault ?? missingNamingAuthority();
    const command = parseMintRequest({ ...request, namingAuthority }, known);
    principal.requireMinting(command);
    const job = { command, context: { actor: principal, request: null }, known, reader: principal };
    return { clientRef, job, canonical: JSON.stringify([clientRef, canonicalMint(command)]) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { clientRef, job: error, canonical: JSON.stringify(['unread', byDefault ?? null, value ?? null]) };
  }
}

/** Counts the identifiers that mints created, by naming authority. */
export function chargeOf(results: Iterable<MintResult>): Charge {
  const counts = new Map<string, number>();
  for (const result of results) {
    if (result instanceof Problem || result.outcome !== 'created') continue;
    const { namingAuthority } = result.record;
    counts.set(namingAuthority, (counts.get(namingAuthority) ?? 0) + (result.metadataRecord === null ? 1 : 2));
  }
  return counts;
}

export function resultOf(job: MintJob | Problem, results: ReadonlyMap<MintJob, MintResult>): MintResult {
  if (job instanceof Problem) return job;
  const result = results.get(job);
  if (result === undefined) throw new TypeError('every job has a result');
  return withUnderstood(result, job);
}

/** The mints of each statement. With several statements, updates come last, in the order in which `insertMany` inserts metadata keys. */
export function inSlices(jobs: readonly MintJob[]): (readonly MintJob[])[] {
  const keyOf = ({ command: { onExisting, metadata } }: MintJob): string =>
    onExisting === 'update' ? (metadata?.key ?? '') : '';
  if (jobs.length <= MINT_SLICE) return [jobs];
  const sorted = [...jobs].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : Number(keyOf(a) > keyOf(b))));
  return Array.from({ length: Math.ceil(jobs.length / MINT_SLICE) }, (_, index) =>
    sorted.slice(index * MINT_SLICE, (index + 1) * MINT_SLICE),
  );
}

function missingNamingAuthority(): never {
  const detail = 'namingAuthority must be a string, in the item or in the request';
  throw invalidValue('/namingAuthority', detail);
}
