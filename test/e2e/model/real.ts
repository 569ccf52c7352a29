import { expect } from '@jest/globals';
import type { Answer, Client } from '../harness/client.js';
import { type Entry, FAR_LEASE, type Registry, identifierOf } from './registry.js';

/** The service as one run sees it, and the entity tags it has given. */
export class Real {
  private readonly tags = new Map<string, { readonly version: number; readonly tag: string }[]>();

  constructor(readonly client: Client) {}

  /** Keeps the entity tag of a representation, to send it when it is stale. */
  recordTag({ body, headers }: Answer): void {
    const seen = this.tags.get(body.identifier as string) ?? [];
    this.tags.set(body.identifier as string, [...seen, { version: body.version, tag: headers.get('etag') ?? '' }]);
  }

  staleTag(entry: Entry): string {
    const seen = this.tags.get(identifierOf(entry)) ?? [];
    return seen.find(({ version }) => version < entry.kinds.length)?.tag ?? '"0-never"';
  }

  async currentTag(entry: Entry): Promise<string> {
    const { headers } = await this.client.get(`/identifiers/${identifierOf(entry)}`);
    return headers.get('etag') ?? '*';
  }
}

/**
 * These identifiers, in the order of minting. Where among the items of its request a metadata record stands that was minted
 * beside its object, the contract leaves open.
 */
export function expectInOrder(identifiers: readonly string[], entries: readonly Entry[]): void {
  const objects = entries.filter(({ isRecord }) => !isRecord).map(identifierOf);
  const records = entries.filter(({ isRecord }) => isRecord).map(identifierOf);
  const requests = new Map(entries.map((entry) => [identifierOf(entry), entry.request]));
  expect(identifiers.filter((each) => !records.includes(each))).toEqual(objects);
  expect(identifiers.filter((each) => records.includes(each)).sort()).toEqual(records.sort());
  const order = identifiers.map((each) => requests.get(each) ?? 0);
  expect(order).toEqual([...order].sort((a, b) => a - b));
}

/**
 * The representation of an identifier says what the model says.
 * @param batch the number of the batch that is being answered: the contract leaves open whether a result shows already
 * what items of the same batch made it describe.
 */
export function expectShown(shown: any, entry: Entry, registry: Registry, batch?: number): void {
  const { identifier, namingAuthority, guid, localName, metadataId, describes, target } = shown;
  const { state, alternateIds, version, leaseUntil, tombstone } = shown;
  const representation = { identifier, namingAuthority, guid, localName, metadataId, target };
  const described = registry.describedBy(entry);
  expectInOrder(
    describes as string[],
    described.filter((each) => each.request !== batch || (describes as string[]).includes(identifierOf(each))),
  );
  expect({ ...representation, state, alternateIds, version, leaseUntil, tombstone }).toEqual({
    identifier: identifierOf(entry),
    namingAuthority: entry.namingAuthority,
    guid: entry.guid,
    localName: entry.guid,
    metadataId: entry.metadataId,
    target: entry.target,
    state: entry.state,
    alternateIds: entry.alternateIds,
    version: entry.kinds.length,
    leaseUntil: entry.state === 'reserved' ? FAR_LEASE : null,
    tombstone: entry.tombstone === null ? null : { ...entry.tombstone, withdrawnAt: expect.any(String) },
  });
}

/** What `GET` answers for an identifier in some spelling. */
export function expectResolved({ status, body }: Answer, entry: Entry | undefined, registry: Registry): void {
  if (entry === undefined) {
    expect([status, body.code]).toEqual([404, 'IDENTIFIER_NOT_FOUND']);
  } else if (entry.tombstone === null) {
    expect(status).toBe(200);
    expectShown(body, entry, registry);
  } else {
    expect([status, body.code, body.identifier]).toEqual([410, 'IDENTIFIER_WITHDRAWN', identifierOf(entry)]);
    expect(body.tombstone).toEqual({ ...entry.tombstone, withdrawnAt: expect.any(String) });
  }
}

/** Statuses of codes, from docs/reference/errors.md. */
const STATUSES: Readonly<Record<string, number>> = {
  METADATA_ID_TAKEN: 409,
  GUID_TAKEN: 409,
  ALTERNATE_ID_TAKEN: 409,
  WRONG_STATE: 409,
  PRECONDITION_FAILED: 412,
  METADATA_ID_IS_IDENTIFIER: 422,
  REPLACEMENT_NOT_FOUND: 422,
  DUPLICATE_IN_REQUEST: 422,
  BATCH_REFUSED: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  PRECONDITION_REQUIRED: 428,
};

/** A refusal with one of the codes, and the status that belongs to it. */
export function expectRefused(status: number, problem: any, codes: readonly string[]): void {
  expect(codes).toContain(problem?.code);
  expect([problem.status, status]).toEqual([STATUSES[problem.code as string], STATUSES[problem.code as string]]);
}
