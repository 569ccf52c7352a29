import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { MintBudget } from '../access/mint-budget.js';
import { readJsonBody } from '../http/json-body.js';
import { answerInLines } from '../http/line-stream.js';
import { type Line, LineReader, MAX_LINE_OCTETS } from '../http/lines.js';
import type { StreamedBody } from '../http/streamed-body.js';
import { Problem } from '../problem/problem.js';
import { IdentifierReader } from '../record/identifier-reader.js';
import type { KnownAuthorities } from '../record/known-authorities.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import { keyReused } from '../record/outcomes.js';
import { chargeLines } from './charge-items.js';
import { type MintItem, itemHash, readItem } from './mint-item.js';
import { MintResults } from './mint-results.js';
import type { Minted } from './minted.js';
import { type DraftedMints, MintingService } from './minting.service.js';

/** The path of the operation. */
const PATH = '/identifiers/bulk';

/** Most lines that one statement mints. */
const CHUNK_LINES = 500;

/** So many lines are read or written before other requests get their turn. */
const SLICE = 100;

/** Who streams, and what holds for every line. */
export interface BulkOrder {
  readonly actor: Caller;
  readonly key: string | undefined;
  readonly namingAuthority: string | undefined;
}

interface NumberedItem extends MintItem {
  readonly number: number;
}

/** Lines that are ready to be minted. */
interface Chunk {
  readonly items: readonly NumberedItem[];
  readonly drafts: DraftedMints;
}

/** Mints a stream of any length in memory that does not grow. */
@Injectable()
export class BulkService {
  constructor(
    private readonly minting: MintingService,
    private readonly authorities: NamingAuthorities,
    private readonly results: MintResults,
    private readonly budget: MintBudget,
    private readonly reader: IdentifierReader,
  ) {}

  /**
   * Answers each line of a body with a line, in order. Every line that is answered is durable. With an Idempotency-Key
   * each line is a request of its own by its number, so a client that was cut off sends everything again.
   * @param failed takes note of what ends the stream and nobody foresaw.
   */
  mint(body: StreamedBody, order: BulkOrder, failed: (error: unknown) => void): AsyncGenerator<string> {
    const lines = new LineReader(body);
    let isUsed: boolean | undefined;
    return answerInLines(body, {
      path: PATH,
      read: async () => {
        const chunk = await lines.next(CHUNK_LINES);
        if (chunk === null) return null;
        const items = await this.readItems(chunk, order);
        isUsed ??= await this.isKeyOfSingleMint(order);
        return this.draft(isUsed ? items.map(refusedForItsKey) : items, order);
      },
      work: async ({ items, drafts }) => this.answer(items, await this.minting.mintDrafted(drafts), order.actor),
      lastLine: ({ items }) => items.at(-1)?.number ?? 0,
      failed,
    });
  }

  /** A single mint keeps its key at place 0, where no line has one, so the insert itself does not meet it. */
  private async isKeyOfSingleMint({ actor, key }: BulkOrder): Promise<boolean> {
    return key !== undefined && (await this.reader.findByRequest(actor.client, key)) !== null;
  }

  private async readItems(lines: readonly Line[], order: BulkOrder): Promise<NumberedItem[]> {
    const known = await this.authorities.current();
    const items: NumberedItem[] = [];
    for (const line of lines) {
      const { clientRef, asks, meaning } = readLine(line, order, known);
      items.push({ number: line.number, clientRef, asks, meaning });
      if (items.length % SLICE === 0) await nextTurn();
    }
    return items;
  }

  private async draft(read: readonly NumberedItem[], { actor, key }: BulkOrder): Promise<Chunk> {
    const items = await chargeLines(read, this.budget);
    const jobs = items.flatMap((item) => {
      if (item.asks instanceof Problem) return [];
      // A pair takes two places, one for each identifier.
      const request = key === undefined ? null : { key, index: 2 * item.number, hash: itemHash(item) };
      return [{ order: item.asks, asked: { actor, request } }];
    });
    return { items, drafts: await this.minting.draft(jobs) };
  }

  private async *answer(
    items: readonly NumberedItem[],
    minted: readonly (Minted | Problem)[],
    actor: Caller,
  ): AsyncGenerator<string> {
    let piece = '';
    let next = 0;
    for (const [index, { number: line, clientRef, asks }] of items.entries()) {
      const result = asks instanceof Problem ? asks : minted[next++];
      if (result === undefined) throw new TypeError('every job has a result');
      piece += `${JSON.stringify({ line, ...this.results.result(clientRef, result, actor, PATH) })}\n`;
      if (index % SLICE < SLICE - 1) continue;
      yield piece;
      piece = '';
      await nextTurn();
    }
    if (piece !== '') yield piece;
  }
}

/** What is wrong with a line itself is told first. */
function refusedForItsKey(item: NumberedItem): NumberedItem {
  return item.asks instanceof Problem ? item : { ...item, asks: keyReused() };
}

function readLine({ octets }: Line, { namingAuthority, actor }: BulkOrder, known: KnownAuthorities): MintItem {
  try {
    if (octets === null) {
      throw new Problem('BODY_TOO_LARGE', `The line has more than ${MAX_LINE_OCTETS} octets.`);
    }
    return readItem(readJsonBody(octets), namingAuthority, known, actor);
  } catch (error) {
    if (error instanceof Problem) return { clientRef: null, asks: error, meaning: '' };
    throw error;
  }
}
