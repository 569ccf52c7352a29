import { Injectable } from '@nestjs/common';
import { IdentifierReader } from '../record/identifier-reader.js';
import { findOutcome, requireSameRequest, storeOutcome } from '../record/outcomes.js';
import { type Queryable, Transactions } from '../record/transactions.js';
import type { Asked } from './draft.js';
import type { Minted } from './minted.js';

/**
 * What requests with an Idempotency-Key came to before: the row of what they minted tells it, and where they minted
 * nothing, an outcome that is stored.
 */
@Injectable()
export class EarlierMints {
  constructor(
    private readonly reader: IdentifierReader,
    private readonly transactions: Transactions,
  ) {}

  /**
   * @returns null when the request is the first one with its key, or has none.
   * @throws Problem IDEMPOTENCY_KEY_REUSED
   */
  async find({ actor, request }: Asked): Promise<Minted | null> {
    if (request === null) return null;
    const earlier = await this.reader.findByRequest(actor.client, request.key, request.index);
    if (earlier === null) {
      const keyed = { client: actor.client, key: request.key, hash: request.hash };
      const outcome = await this.transactions.statement((on) => findOutcome(on, keyed));
      return outcome === null ? null : this.read(outcome);
    }
    requireSameRequest(earlier.hash, request.hash);
    return { outcome: 'replayed', record: earlier.record, metadataRecord: earlier.metadataRecord };
  }

  /** Reads a stored outcome: the identifier that the metadata ID of the earlier request described. */
  async read(outcome: string, from?: Queryable): Promise<Minted | null> {
    const [record] = await this.reader.findByIds([BigInt(JSON.parse(outcome) as string)], from);
    return record === undefined ? null : { outcome: 'found', record, metadataRecord: null };
  }

  /** Stores what a request came to that minted nothing. */
  async remember({ record }: Minted, { actor, request }: Asked): Promise<void> {
    if (request === null) return;
    const { key, hash } = request;
    await this.transactions.statement((on) =>
      storeOutcome(on, { client: actor.client, key, hash }, record.id.toString()),
    );
  }
}
