import { Injectable } from '@nestjs/common';
import type { ProblemCode } from '../problem/catalogue.js';
import { Problem, type ProblemExtensions } from '../problem/problem.js';
import { rowsLost } from '../problem/storage-problems.js';
import { MAX_PAGE_BYTES } from '../storage/statement.js';
import {
  type ConflictReader,
  nameConflictProblem,
  shownConflict,
  valueHolderIn,
} from '../registry/conflict-problem.js';
import { ignoredMembers } from '../registry/ignored-members.js';
import { withoutLegalValues } from '../registry/lifecycle.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import type { MintCommand } from '../registry/mint-command.js';
import { IdentifierReader } from '../storage/identifiers/identifier-reader.js';
import { NameHolders } from '../storage/identifiers/name-holders.js';
import { type NewResult, RequestResults, earlierOf } from '../storage/request-results.js';
import { type Queryable, Transactions } from '../storage/transactions.js';
import { RecordBudget } from './found-records.js';
import type { DecidedMint, MintJob, MintOutcome, MintResult } from './mint-outcome.js';
import { isInFlight } from './mint-queue.js';

/** Problems stored for a line of a stream, because they depend on identifiers that can change. */
const STORED_REJECTIONS = new Set([
  ...['KEY_COLLISION', 'METADATA_ID_TAKEN', 'GUID_TAKEN', 'IDENTIFIER_TAKEN', 'ALTERNATE_ID_TAKEN', 'WRONG_STATE'],
]);

const PARTS = { items: 1000, bytes: MAX_PAGE_BYTES };

/** The stored result of a mint. It has IDs instead of records, so that a replay returns their current state. */
export type StoredResult =
  | {
      readonly outcome: MintOutcome['outcome'];
      readonly id: string;
      readonly metadataRecordId?: string;
    }
  | { readonly code: ProblemCode; readonly detail: string; readonly facts: ProblemExtensions };

export function serializeResult(result: MintResult): StoredResult {
  if (result instanceof Problem) {
    const { code, detail, extensions: facts } = result;
    return { code, detail, facts };
  }
  const { outcome, record, metadataRecord } = result;
  const pair = metadataRecord === null ? {} : { metadataRecordId: metadataRecord.id.toString() };
  return { outcome, id: record.id.toString(), ...pair };
}

function asFound(stored: StoredResult): StoredResult {
  return 'id' in stored ? { ...stored, outcome: 'found' } : stored;
}

/** The command of a repeat, with which a result is compared, and what its client may see. */
export interface RepeatedMint {
  /** Null for an item that was rejected. */
  readonly command: MintCommand | null;
  readonly reader: ConflictReader;
}

/** Finds results of earlier requests with an idempotency key: rows of minted identifiers, or stored results. */
@Injectable()
export class MintReplays {
  constructor(
    private readonly reader: IdentifierReader,
    private readonly results: RequestResults,
    private readonly holders: NameHolders,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Returns the results of earlier requests with the same keys, with current records, or the problem of a key that cannot be used. Mints
   * that are the first with their key have no result.
   */
  async find(jobs: readonly MintJob[], from?: Queryable): Promise<Map<MintJob, MintResult>> {
    const keyed = jobs.flatMap((job) => {
      const { actor, request } = job.context;
      return request === null ? [] : [{ job, mint: { client: actor.client, ...request } }];
    });
    const uses = await this.results.find(
      keyed.map(({ mint }) => mint),
      from,
      true,
    );
    const results = new Map<MintJob, MintResult>();
    const found = new Map<MintJob, StoredResult>();
    for (const [index, { job, mint }] of keyed.entries()) {
      const use = uses[index];
      const earlier = use === undefined ? null : earlierOf(use, mint.fingerprint);
      if (earlier instanceof Problem) results.set(job, earlier);
      else if (earlier !== null && 'text' in earlier) found.set(job, asFound(JSON.parse(earlier.text) as StoredResult));
      else if (earlier !== null) found.set(job, { outcome: 'replayed', ...earlier });
    }
    const read = uses.flatMap(({ minted }) => minted?.record ?? []);
    for (const [job, result] of await this.restore(found, (job) => job, from, read)) results.set(job, result);
    const shown = await this.shown(results, (job) => job, from);
    const isOfRows = [...shown.values()].some((result) => !isInFlight(result));
    if (from === undefined && isOfRows && uses.some(({ hasStandby }) => hasStandby))
      await this.transactions.waitForStandby();
    return shown;
  }

  /**
   * Deserializes results, with current records.
   * @param mintOf the mint of a result, whose reader does not learn which existing identifier with hidden values has the metadata ID.
   * @param read records that are not read again.
   */
  async restore<K>(
    stored: ReadonlyMap<K, StoredResult>,
    mintOf: (key: K) => RepeatedMint,
    from?: Queryable,
    read: readonly IdentifierRecord[] = [],
  ): Promise<Map<K, MintResult>> {
    const results = new Map<K, MintResult>();
    const budget = new RecordBudget();
    const known = new Map(read.map((record) => [record.id, record]));
    const idsOf = ([, each]: readonly [K, StoredResult]): bigint[] =>
      'id' in each
        ? [each.id, each.metadataRecordId ?? []]
            .flat()
            .map(BigInt)
            .filter((id) => !known.has(id))
        : [];
    for await (const { part, records } of this.reader.inParts([...stored], idsOf, PARTS, from)) {
      for (const [key, each] of part) {
        if (!('id' in each)) {
          results.set(key, new Problem(each.code, each.detail, each.facts));
          continue;
        }
        const id = BigInt(each.id);
        const record = known.get(id) ?? records.get(id);
        // The result was stored after the identifier, so only a failover can have lost the row of the identifier.
        if (record === undefined) throw rowsLost();
        const metadataRecord = records.get(BigInt(each.metadataRecordId ?? 0)) ?? null;
        const { outcome } = each;
        const { command, reader } = mintOf(key);
        const isHidden = reader.hides(record);
        if (isHidden && outcome !== 'created' && outcome !== 'replayed') {
          results.set(key, nameConflictProblem('METADATA_ID_TAKEN', null, '/metadataId'));
          continue;
        }
        const ignored = command === null ? [] : ignoredMembers(command, isHidden ? withoutLegalValues(record) : record);
        results.set(key, budget.reduce({ outcome, record, metadataRecord, ignored }));
      }
    }
    return results;
  }

  /** Hides the holder of a requested value if it was withdrawn for legal reasons. @param viewOf the mint of a result. */
  async shown<K>(
    results: ReadonlyMap<K, MintResult>,
    viewOf: (key: K) => Pick<MintJob, 'known' | 'reader'>,
    from?: Queryable,
  ): Promise<Map<K, MintResult>> {
    const holders = [...results].flatMap(([key, result]) => {
      const { known, reader } = viewOf(key);
      const name = valueHolderIn(result);
      return name === null || reader.curates(name.slice(0, name.indexOf('/'))) ? [] : [{ key, name, known }];
    });
    const legal = await this.holders.legalAmong(holders, from);
    const hidden = new Set(holders.flatMap(({ key, name }) => (legal.has(name) ? [key] : [])));
    return new Map(
      [...results].map(([key, result]) => [key, shownConflict(result, viewOf(key).reader, hidden.has(key))]),
    );
  }

  /** A minted identifier needs no stored result because it has its own row; a failed single mint leaves its key unused. */
  mustStore({ job, result }: DecidedMint): boolean {
    const { request } = job.context;
    if (request === null) return false;
    if (result instanceof Problem) return request.index > 0 && STORED_REJECTIONS.has(result.code);
    return result.outcome === 'existing' || result.outcome === 'updated';
  }

  /**
   * Stores results for replays, and returns those that are valid. Invalid ones must be decided again, because another request used the key
   * or the identifier lost its metadata ID.
   * @param transaction of a change that must be committed only if all results are valid. Without one, a statement commits the results.
   */
  async store(decided: readonly DecidedMint[], transaction?: Queryable): Promise<ReadonlySet<DecidedMint>> {
    const results = new Map<NewResult, DecidedMint>();
    for (const decision of decided) {
      const { job, result } = decision;
      const { actor, request } = job.context;
      if (request === null) continue;
      const { metadata } = job.command;
      const isFound = !(result instanceof Problem) && metadata !== null;
      const found = isFound ? { id: result.record.id, metadataKey: metadata.key } : null;
      results.set({ mint: { client: actor.client, ...request }, result: serializeResult(result), found }, decision);
    }
    const stored = await this.results.store([...results.keys()], transaction);
    return new Set([...results].flatMap(([result, decision]) => (stored.has(result) ? [decision] : [])));
  }
}
