import { Injectable } from '@nestjs/common';
import { Problem } from '../../problem/problem.js';
import { IdentifierReader } from '../../storage/identifiers/identifier-reader.js';
import { keyReused, requireSameRequest } from '../../storage/idempotency.js';
import { RequestResults } from '../../storage/request-results.js';
import type { Queryable } from '../../storage/transactions.js';
import { type StoredResult, serializeResult, deserializeResults } from './batch/batch-outcome.js';
import type { MintContext } from '../../registry/build-identifier.js';
import type { MintOutcome } from './mint-outcome.js';
import type { MintCommand } from '../../registry/mint-command.js';

/** Problems that are stored for a line of a stream, because they depend on other identifiers, which can change. */
const STORED_REFUSALS = new Set(['METADATA_ID_TAKEN', 'GUID_TAKEN', 'IDENTIFIER_TAKEN', 'ALTERNATE_ID_TAKEN']);

export interface MintResult {
  readonly context: MintContext;
  readonly command: MintCommand;
  readonly result: MintOutcome | Problem;
}

/**
 * The results of earlier requests with an idempotency key: the row of the minted identifier, or a stored result where
 * none was minted.
 */
@Injectable()
export class MintReplays {
  constructor(
    private readonly reader: IdentifierReader,
    private readonly results: RequestResults,
  ) {}

  /**
   * @returns null for the first request with its key or without one; a stored problem as a value.
   * @throws Problem IDEMPOTENCY_KEY_REUSED
   */
  async find({ actor, request }: MintContext): Promise<MintOutcome | Problem | null> {
    if (request === null) return null;
    const earlier = await this.reader.findByRequest(actor.client, request.key, request.index);
    if (earlier !== null) {
      requireSameRequest(earlier.fingerprint, request.fingerprint);
      return { outcome: 'replayed', record: earlier.record, metadataRecord: earlier.metadataRecord };
    }
    const [use] = await this.results.find([{ client: actor.client, ...request }]);
    if (use?.isOther === true) throw keyReused();
    if (!use?.outcome) return null;
    requireSameRequest(use.outcome.hash, request.fingerprint);
    return (await this.readAll([use.outcome.text]))[0] ?? null;
  }

  /** Deserializes stored results, with the current records. */
  async readAll(texts: readonly string[], from?: Queryable): Promise<(MintOutcome | Problem)[]> {
    if (texts.length === 0) return [];
    const stored = texts.map((text) => JSON.parse(text) as StoredResult);
    const results = await deserializeResults(stored, this.reader, from);
    return results.map((result) => (result instanceof Problem ? result : { ...result, outcome: 'found' }));
  }

  /**
   * Whether a result is stored: a minted identifier has its own row, and a failed single mint leaves its key unused.
   */
  isStored({ context: { request }, result }: MintResult): boolean {
    if (request === null) return false;
    if (result instanceof Problem) return request.index > 0 && STORED_REFUSALS.has(result.code);
    return result.outcome === 'existing';
  }

  /**
   * Stores results for replays.
   * @returns for each, whether it is valid; otherwise it must be decided again, because another request used the key or
   * the identifier lost its metadata ID.
   */
  async store(mints: readonly MintResult[]): Promise<boolean[]> {
    return this.results.store(
      mints.flatMap(({ context: { actor, request }, command, result }) => {
        if (request === null) return [];
        const isFound = !(result instanceof Problem) && command.metadata !== null;
        const found = isFound ? { id: result.record.id, metadataKey: command.metadata.key } : null;
        return [{ mint: { client: actor.client, ...request }, result: serializeResult(result), found }];
      }),
    );
  }
}
