import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../access/principal.js';
import { inOwnTurns } from '../http/body/own-turn.js';
import { Problem } from '../problem/problem.js';
import { digestOf } from '../registry/uuid.js';
import { type MintItem, type ReceivedItem, parseItem, prefixesOf, resultOf } from './mint-item.js';
import { isInFlight, whileInFlight } from '../minting/mint-queue.js';
import type { MintJob, MintResult, NamedResult } from '../minting/mint-outcome.js';
import { MintingService } from '../minting/minting.service.js';
import { UpsertsService } from '../changing/upserts.service.js';

export interface BulkContext extends RequestContext {
  readonly namingAuthority: string | undefined;
  /** Logs an unexpected error of one line. @returns the problem of this line; the other lines are minted. */
  readonly lineFailed: (error: unknown, line: number) => Problem;
}

export interface ReceivedLine extends ReceivedItem {
  /** Counted from 1. */
  readonly line: number;
}

export interface LineResult extends NamedResult {
  readonly line: number;
}

export interface ReadyLine extends Pick<MintItem, 'clientRef' | 'job'> {
  readonly line: number;
}

/** Mints streams. An idempotency key covers each line separately, by its number, so that a client can repeat the stream. */
@Injectable()
export class BulkService {
  constructor(
    private readonly minting: MintingService,
    private readonly upserts: UpsertsService,
  ) {}

  /** Parses and authorizes a chunk. It writes nothing, so it can run while another chunk is minted. */
  async prepare(received: readonly ReceivedLine[], { principal, ...bulk }: BulkContext): Promise<ReadyLine[]> {
    const known = principal.viewOf(await this.minting.knownFor(principal, prefixesOf(received, bulk.namingAuthority)));
    const key = bulk.idempotencyKey;
    return inOwnTurns(received, (each): ReadyLine => {
      const { line } = each;
      try {
        const { clientRef, job, canonical } = parseItem(each, bulk.namingAuthority, known, principal);
        if (job instanceof Problem || key === undefined) return { line, clientRef, job };
        // A mint with `mintMetadataId` creates two identifiers, each with an index of its own.
        const request = { key, index: 2 * line, fingerprint: digestOf(canonical) };
        return { line, clientRef, job: { ...job, context: { actor: principal, request } } };
      } catch (error) {
        return { line, clientRef: null, job: bulk.lineFailed(error, line) };
      }
    });
  }

  /**
   * Mints lines. The results are durable and in order. An error after the commit of some lines is the result of the others.
   * @throws the error if no line was minted.
   */
  async mint(
    lines: readonly ReadyLine[],
    { lineFailed, principal }: Pick<BulkContext, 'lineFailed' | 'principal'>,
  ): Promise<LineResult[]> {
    let open = lines.flatMap(({ job }) => (job instanceof Problem ? [] : [job]));
    const results = new Map<MintJob, MintResult>();
    const attempt = async (): Promise<Error | null> => {
      const settled = await this.upserts.mintAll(open, principal);
      for (const job of open) results.delete(job);
      for (const [job, result] of settled.results) results.set(job, result);
      open = open.filter((job) => isInFlight(results.get(job)));
      return settled.failure;
    };
    const failure = await whileInFlight(attempt, (failed) => failed === null && open.length > 0);
    if (failure !== null && [...results.values()].every((result) => result instanceof Problem)) throw failure;
    return lines.map(({ line, clientRef, job }) => {
      const isFailed = failure !== null && !(job instanceof Problem) && !results.has(job);
      return { line, clientRef, result: isFailed ? lineFailed(failure, line) : resultOf(job, results) };
    });
  }
}
