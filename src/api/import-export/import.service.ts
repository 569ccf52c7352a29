import { setImmediate as nextTurn } from 'node:timers/promises';
import { HttpStatus, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { KeyValidity } from '../../access/key-validity.js';
import { readJsonBody } from '../../http/body/json-body.js';
import { type StreamLog, respondInLines } from '../../http/body/ndjson-response.js';
import { LineReader, MAX_LINE_OCTETS } from '../../http/body/line-reader.js';
import { CSV, type StreamedBody } from '../../http/body/streamed-body.js';
import { CATALOGUE } from '../../problem/catalogue.js';
import { isCausedByData } from '../../problem/database-errors.js';
import { problemDocument } from '../../problem/problem-document.dto.js';
import { problemOf } from '../../problem/problem.filter.js';
import { Problem } from '../../problem/problem.js';
import { IdentifierImporter } from '../../storage/identifiers/identifier-importer.js';
import type { Conflicts } from '../../storage/identifiers/conflict-finder.js';
import { NamingAuthorityCache } from '../../storage/naming-authorities/naming-authority-cache.js';
import { conflictProblem } from '../representation/conflict-problem.js';
import { RowReader } from './csv-rows.js';
import { isListRow, readRow } from './csv.js';
import { type ImportCommand, readLine } from './read-line.js';
import { lineOf, saysTheSame } from './transfer-line.js';
import type { ImportResultDto } from './transfer-line.dto.js';

const PATH = '/identifiers/import';

/** Most lines that one statement imports. */
const CHUNK_LINES = 500;

/** Lines that are parsed before other requests continue. */
const SLICE = 100;

interface Entry {
  readonly number: number;
  readonly command: ImportCommand | Problem;
}

interface ReadableLine {
  readonly number: number;
  readonly command: ImportCommand;
}

interface Raw {
  readonly number: number;
  readonly value: () => unknown;
  readonly compared?: readonly string[];
}

@Injectable()
export class ImportService {
  constructor(
    private readonly importer: IdentifierImporter,
    private readonly authorities: NamingAuthorityCache,
    private readonly keys: KeyValidity,
  ) {}

  /**
   * Returns one result for each line, in order. A line with a result is durable, and a repeated line changes nothing,
   * so a file can be sent again. An unexpected error of a line becomes INTERNAL_ERROR, and the other lines are
   * imported.
   */
  import(body: StreamedBody, actor: Principal, log: StreamLog): AsyncGenerator<Buffer> {
    const next = body.mediaType === CSV ? rowsOf(body) : linesOf(body);
    return respondInLines<Entry[]>(body, {
      path: PATH,
      read: async () => {
        const raw = await next();
        return raw === null ? null : this.prepare(raw, actor, log);
      },
      permit: () => this.keys.require(actor),
      work: (entries) => this.work(entries, log),
      lastLine: (entries) => entries.at(-1)?.number ?? 0,
      log,
    });
  }

  private async prepare(lines: readonly Raw[], actor: Principal, log: StreamLog): Promise<Entry[]> {
    // Naming authorities that another process created just before count too, whatever the local time.
    const known = actor.viewOf(await this.authorities.refresh('all'));
    const entries: Entry[] = [];
    for (const { number, value, compared } of lines) {
      const command = refusalOr(
        () => ({ ...readLine(value(), known, actor), ...(compared && { compared }) }),
        (error) => {
          log.lineFailed(error, number);
        },
      );
      entries.push({ number, command });
      if (entries.length % SLICE === 0) await nextTurn();
    }
    return entries;
  }

  private async work(entries: readonly Entry[], log: StreamLog): Promise<string[]> {
    const readable = entries.flatMap(({ number, command }) =>
      command instanceof Problem ? [] : [{ number, command }],
    );
    const results = await this.insert(readable, log);
    let piece = '';
    for (const { number, command } of entries) {
      const result = command instanceof Problem ? command : results.shift();
      if (result === undefined) throw new TypeError('every line that was read has a result');
      piece += `${JSON.stringify(resultOf(number, result))}\n`;
    }
    return [piece];
  }

  /** Inserts a chunk; where its statement fails because of one line, halves are tried until that line is alone. */
  private async insert(lines: readonly ReadableLine[], log: StreamLog): Promise<(Done | Problem)[]> {
    try {
      const conflicts = await this.importer.insert(lines.map(({ command }) => command.item));
      return lines.map(({ command }, index) => outcomeOf(command, conflicts[index] ?? null));
    } catch (error) {
      const [first, second] = lines;
      if (first === undefined || !isCausedByData(error)) throw error;
      if (second === undefined) {
        log.lineFailed(error, first.number);
        return [problemOf(error)];
      }
      const middle = Math.ceil(lines.length / 2);
      const results = await this.insert(lines.slice(0, middle), log);
      return [...results, ...(await this.insert(lines.slice(middle), log))];
    }
  }
}

type Done = Required<Pick<ImportResultDto, 'identifier' | 'outcome'>>;

function outcomeOf({ line, compared }: ImportCommand, conflicts: Conflicts | null): Done | Problem {
  const { identifier } = line;
  if (conflicts === null) return { identifier, outcome: 'imported' };
  if (conflicts.address !== null) {
    if (saysTheSame(lineOf(conflicts.address), line, compared)) return { identifier, outcome: 'unchanged' };
    return conflictProblem(
      'IDENTIFIER_TAKEN',
      'This identifier is registered with other attributes',
      conflicts.address,
      '/identifier',
    );
  }
  if (conflicts.metadata !== null) {
    return conflictProblem(
      'METADATA_ID_TAKEN',
      'This metadata ID is used by an identifier',
      conflicts.metadata,
      '/metadataId',
    );
  }
  if (conflicts.alternate === null) throw new TypeError('an import conflict always has an identifier');
  const { record, index } = conflicts.alternate;
  return conflictProblem(
    'ALTERNATE_ID_TAKEN',
    'This alternate identifier is used by an identifier',
    record,
    `/alternateIds/${index}`,
  );
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
        throw new Problem('BODY_TOO_LARGE', `The line is longer than ${MAX_LINE_OCTETS} octets.`);
      },
    })) ?? null;
}

function rowsOf(body: StreamedBody): () => Promise<Raw[] | null> {
  const rows = new RowReader(body);
  return async () =>
    (await rows.next(CHUNK_LINES))?.map(({ number, row }) => ({
      number,
      value: () => {
        if (row instanceof Problem) throw row;
        return readRow(row);
      },
      ...(!(row instanceof Problem) && isListRow(row) && { compared: [...Object.keys(row), 'state'] }),
    })) ?? null;
}

function refusalOr<T>(work: () => T, failed: (error: unknown) => void): T | Problem {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Problem)) failed(error);
    return problemOf(error);
  }
}
