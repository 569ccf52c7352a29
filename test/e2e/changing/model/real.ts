import { expect } from '@jest/globals';
import type { Answer, Client } from '../../harness/client.js';
import { type Entry, FAR_LEASE, type Registry, identifierOf } from './registry.js';

/** The service in one run, and the entity tags that it returned. */
export class Real {
  private readonly tags = new Map<string, { readonly version: number; readonly tag: string }[]>();

  constructor(readonly client: Client) {}

  /** Stores the entity tag of a representation, to send it when it is stale. */
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
 * Compares a list with these identifiers in the order of minting. The contract does not define the index of a metadata
 * record among the items of its request.
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
 * Compares the representation of an identifier with the model.
 * @param batch the number of the current batch: the contract does not define whether a result includes the relations of
 * later items of the batch.
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

/** The response of `GET` for an identifier in some form. */
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

/** The statuses of the codes, from docs/reference/errors.md. */
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

/** Expects one of the codes, with its status. */
export function expectRejected(status: number, problem: any, codes: readonly string[]): void {
  expect(codes).toContain(problem?.code);
  expect([problem.status, status]).toEqual([STATUSES[problem.code as string], STATUSES[problem.code as string]]);
}
