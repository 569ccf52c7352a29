import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../access/principal.js';
import { KeyValidity } from '../../../access/key-validity.js';
import { MintBudget } from '../../../access/mint-budget.js';
import { readJsonBody } from '../../../http/body/json-body.js';
import { type StreamLog, respondInLines } from '../../../http/body/ndjson-response.js';
import { type Line, LineReader, MAX_LINE_OCTETS } from '../../../http/body/line-reader.js';
import type { StreamedBody } from '../../../http/body/streamed-body.js';
import { problemOf } from '../../../problem/problem.filter.js';
import { Problem } from '../../../problem/problem.js';
import type { NamingAuthoritySnapshot } from '../../../registry/naming-authority-snapshot.js';
import { NamingAuthorityCache } from '../../../storage/naming-authorities/naming-authority-cache.js';
import { chargeLines } from '../batch/charge-rate-limit.js';
import { type MintItem, itemFingerprint, parseItem } from '../batch/mint-item.js';
import { MintResults } from '../mint-results.js';
import type { MintOutcome } from '../mint-outcome.js';
import { type PreparedMints, MintingService } from '../minting.service.js';
import { isInFlight, waitInFlight } from '../wait-in-flight.js';

const PATH = '/identifiers/bulk';

const CHUNK_LINES = 500;

/** Lines that are parsed or serialized before other requests continue. */
const SLICE = 100;

export interface BulkCommand {
  readonly actor: Principal;
  readonly key: string | undefined;
  readonly namingAuthority: string | undefined;
  /** Whether results have the identifier as text: `Prefer: return=minimal`. */
  readonly isMinimal: boolean;
}

interface NumberedItem extends MintItem {
  readonly number: number;
}

interface Chunk {
  readonly items: readonly NumberedItem[];
  readonly prepared: PreparedMints;
}

@Injectable()
export class BulkService {
  constructor(
    private readonly minting: MintingService,
    private readonly authorities: NamingAuthorityCache,
    private readonly results: MintResults,
    private readonly budget: MintBudget,
    private readonly keys: KeyValidity,
  ) {}

  /**
   * Returns one result for each line, in order. A line with a result is durable. With an idempotency key, each line is
   * a request of its own by its number, so an interrupted client can send the whole stream again.
   */
  mint(body: StreamedBody, command: BulkCommand, log: StreamLog): AsyncGenerator<Buffer> {
    const lines = new LineReader(body);
    return respondInLines(body, {
      path: PATH,
      read: async () => {
        const chunk = await lines.next(CHUNK_LINES);
        if (chunk === null) return null;
        return this.prepareChunk(await this.readItems(chunk, command, log), command);
      },
      permit: () => this.keys.require(command.actor),
      work: async ({ items, prepared }) => this.resultLines(items, await this.mintChunk(prepared), command),
      lastLine: ({ items }) => items.at(-1)?.number ?? 0,
      log,
    });
  }

  /** Mints a chunk; lines whose key is in use by another request wait for it. */
  private async mintChunk(prepared: PreparedMints): Promise<(MintOutcome | Problem)[]> {
    let results: (MintOutcome | Problem)[] | undefined;
    return waitInFlight(
      async () => {
        if (results === undefined) return (results = await this.minting.insertPrepared(prepared));
        const inFlight = results.flatMap((result, index) => (isInFlight(result) ? [index] : []));
        const made = await this.minting.mintAll(inFlight.flatMap((index) => prepared.jobs[index] ?? []));
        inFlight.forEach((index, at) => {
          const result = made[at];
          if (result !== undefined) results?.splice(index, 1, result);
        });
        return results;
      },
      (all) => !all.some(isInFlight),
    );
  }

  private async readItems(lines: readonly Line[], bulk: BulkCommand, log: StreamLog): Promise<NumberedItem[]> {
    const known = bulk.actor.viewOf(await this.authorities.current());
    const items: NumberedItem[] = [];
    for (const line of lines) {
      const { clientRef, command, canonical } = readLine(line, bulk, known, log);
      items.push({ number: line.number, clientRef, command, canonical });
      if (items.length % SLICE === 0) await nextTurn();
    }
    return items;
  }

  private async prepareChunk(read: readonly NumberedItem[], { actor, key }: BulkCommand): Promise<Chunk> {
    const items = await chargeLines(read, this.budget);
    const jobs = items.flatMap((item) => {
      if (item.command instanceof Problem) return [];
      // A pair of identifiers uses two indexes.
      const request = key === undefined ? null : { key, index: 2 * item.number, fingerprint: itemFingerprint(item) };
      return [{ command: item.command, context: { actor, request } }];
    });
    return { items, prepared: await this.minting.prepare(jobs) };
  }

  private async *resultLines(
    items: readonly NumberedItem[],
    minted: readonly (MintOutcome | Problem)[],
    { actor, isMinimal }: BulkCommand,
  ): AsyncGenerator<string> {
    let piece = '';
    let next = 0;
    for (const [index, { number: line, clientRef, command }] of items.entries()) {
      const result = command instanceof Problem ? command : minted[next++];
      if (result === undefined) throw new TypeError('every job has a result');
      const shown = isMinimal
        ? this.results.minimal(clientRef, result, PATH)
        : this.results.result(clientRef, result, actor, PATH);
      piece += `${JSON.stringify({ line, ...shown })}\n`;
      if (index % SLICE < SLICE - 1) continue;
      yield piece;
      piece = '';
      await nextTurn();
    }
    if (piece !== '') yield piece;
  }
}

function readLine(
  { number, octets }: Line,
  { namingAuthority, actor }: BulkCommand,
  known: NamingAuthoritySnapshot,
  log: StreamLog,
): MintItem {
  try {
    if (octets === null) {
      throw new Problem('BODY_TOO_LARGE', `The line is longer than ${MAX_LINE_OCTETS} octets.`);
    }
    return parseItem(readJsonBody(octets), namingAuthority, known, actor);
  } catch (error) {
    if (!(error instanceof Problem)) log.lineFailed(error, number);
    return { clientRef: null, command: problemOf(error), canonical: '' };
  }
}
