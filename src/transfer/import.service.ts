import { setImmediate as nextTurn } from 'node:timers/promises';
import { HttpStatus, Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { readJsonBody } from '../http/json-body.js';
import { answerInLines } from '../http/line-stream.js';
import { LineReader, MAX_LINE_OCTETS } from '../http/lines.js';
import { CSV, type StreamedBody } from '../http/streamed-body.js';
import { CATALOGUE } from '../problem/catalogue.js';
import { problemDocument } from '../problem/problem-document.dto.js';
import { Problem } from '../problem/problem.js';
import { IdentifierImporter } from '../record/identifier-importer.js';
import type { MetLaws } from '../record/met-laws.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import { taken } from '../record/taken.js';
import { RowReader } from './csv-rows.js';
import { readRow } from './csv.js';
import { type ImportOrder, readLine } from './read-line.js';
import { lineOf, saysTheSame } from './transfer-line.js';
import type { ImportResultDto } from './transfer-line.dto.js';

const PATH = '/identifiers/import';

/** Most lines that one statement imports. */
const CHUNK_LINES = 500;

/** So many lines are read before other requests get their turn. */
const SLICE = 100;

/** A line of the file that was read, or why it cannot be. */
interface Entry {
  readonly number: number;
  readonly asks: ImportOrder | Problem;
}

/** A line whose value is not looked at yet. */
interface Raw {
  readonly number: number;
  readonly value: () => unknown;
}

/** Takes identifiers over from an export. */
@Injectable()
export class ImportService {
  constructor(
    private readonly importer: IdentifierImporter,
    private readonly authorities: NamingAuthorities,
  ) {}

  /**
   * Answers each line of a file with a line, in order. Every line that is answered is durable, and a line that is there
   * already changes nothing, so a file may be sent again.
   * @param failed takes note of what ends the stream and nobody foresaw.
   */
  import(body: StreamedBody, actor: Caller, failed: (error: unknown) => void): AsyncGenerator<string> {
    const next = body.mediaType === CSV ? rowsOf(body) : linesOf(body);
    return answerInLines<Entry[]>(body, {
      path: PATH,
      read: async () => {
        const raw = await next();
        return raw === null ? null : this.prepare(raw, actor);
      },
      work: (entries) => this.work(entries),
      lastLine: (entries) => entries.at(-1)?.number ?? 0,
      failed,
    });
  }

  private async prepare(lines: readonly Raw[], actor: Caller): Promise<Entry[]> {
    // What another process created a moment ago counts too.
    const known = await this.authorities.refresh();
    const entries: Entry[] = [];
    for (const { number, value } of lines) {
      entries.push({ number, asks: refusalOr(() => readLine(value(), known, actor)) });
      if (entries.length % SLICE === 0) await nextTurn();
    }
    return entries;
  }

  private async work(entries: readonly Entry[]): Promise<string[]> {
    const items = entries.flatMap(({ asks }) => (asks instanceof Problem ? [] : [asks.item]));
    const met = await this.importer.insert(items);
    let piece = '';
    for (const { number, asks } of entries) {
      const result = asks instanceof Problem ? asks : settled(asks, met.shift() ?? null);
      piece += `${JSON.stringify(resultOf(number, result))}\n`;
    }
    return [piece];
  }
}

type Done = Required<Pick<ImportResultDto, 'identifier' | 'outcome'>>;

function settled({ line }: ImportOrder, met: MetLaws | null): Done | Problem {
  const { identifier } = line;
  if (met === null) return { identifier, outcome: 'imported' };
  if (met.address !== null) {
    if (saysTheSame(lineOf(met.address), line)) return { identifier, outcome: 'unchanged' };
    return taken('IDENTIFIER_TAKEN', 'This identifier is registered with other facts', met.address, '/identifier');
  }
  if (met.metadata !== null) {
    return taken('METADATA_ID_TAKEN', 'This metadata ID describes an identifier', met.metadata, '/metadataId');
  }
  if (met.alternate === null) throw new TypeError('what is in the way has a name');
  const { record, index } = met.alternate;
  return taken('ALTERNATE_ID_TAKEN', 'This alternate identifier has an identifier', record, `/alternateIds/${index}`);
}

function resultOf(line: number, result: Done | Problem): ImportResultDto {
  if (result instanceof Problem) {
    return { line, status: CATALOGUE[result.code].status, problem: problemDocument(result, PATH) };
  }
  return { line, status: result.outcome === 'imported' ? HttpStatus.CREATED : HttpStatus.OK, ...result };
}

function linesOf(body: StreamedBody): () => Promise<Raw[] | null> {
  const lines = new LineReader(body);
  return async () =>
    (await lines.next(CHUNK_LINES))?.map(({ number, octets }) => ({
      number,
      value: () => {
        if (octets !== null) return readJsonBody(octets);
        throw new Problem('BODY_TOO_LARGE', `The line has more than ${MAX_LINE_OCTETS} octets.`);
      },
    })) ?? null;
}

function rowsOf(body: StreamedBody): () => Promise<Raw[] | null> {
  const rows = new RowReader(body);
  return async () =>
    (await rows.next(CHUNK_LINES))?.map(({ number, row }) => ({ number, value: () => readRow(row) })) ?? null;
}

function refusalOr<T>(work: () => T): T | Problem {
  try {
    return work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
