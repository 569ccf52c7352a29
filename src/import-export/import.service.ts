import { Injectable } from '@nestjs/common';
import type { Principal } from '../access/principal.js';
import { inOwnTurns } from '../http/body/own-turn.js';
import { isCausedByData } from '../problem/database-errors.js';
import { Problem } from '../problem/problem.js';
import {
  type ConflictReader,
  claimProblem,
  conflictProblem,
  nameConflictProblem,
} from '../registry/conflict-problem.js';
import { nativeText } from '../registry/identifier-record.js';
import { keyCollision } from '../registry/key-collision.js';
import type { ImportedIdentifier } from '../registry/new-identifier.js';
import type { Conflicts } from '../storage/identifiers/conflict-finder.js';
import { IdentifierImporter } from '../storage/identifiers/identifier-importer.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import { type ImportCommand, type ImportRequest, parseImport } from './import-command.js';
import { differences } from './transfer-record.js';

export interface ImportContext {
  readonly principal: Principal;
  /** Logs an unexpected error of one line. @returns the problem of this line; the other lines are imported. */
  readonly lineFailed: (error: unknown, line: number) => Problem;
}

export interface ReceivedLine {
  readonly line: number;
  readonly request: ImportRequest | Problem;
  readonly compared?: readonly string[] | undefined;
}

export interface ReadyLine {
  readonly line: number;
  readonly command: ImportCommand | Problem;
}

/** What an import does with a line. "unchanged": the identifier is registered with the same attributes. */
export interface ImportOutcome {
  readonly outcome: 'imported' | 'unchanged';
  /** `NA/local`. */
  readonly identifier: string;
}

export interface LineResult {
  readonly line: number;
  readonly result: ImportOutcome | Problem;
}

type Results = ReadonlyMap<ImportedIdentifier, LineResult['result']>;

@Injectable()
export class ImportService {
  constructor(
    private readonly importer: IdentifierImporter,
    private readonly authorities: NamingAuthorityCache,
  ) {}

  /** Parses and authorizes a chunk. It writes nothing, so it can run while another chunk is imported. */
  async prepare(received: readonly ReceivedLine[], { principal, lineFailed }: ImportContext): Promise<ReadyLine[]> {
    // Another process might have just created the naming authorities.
    const known = principal.viewOf(await this.authorities.refresh());
    const now = new Date();
    const parse = ({ line, request, compared }: ReceivedLine): ImportCommand | Problem => {
      try {
        if (request instanceof Problem) return request;
        return { ...parseImport(request, known, principal, now), ...(compared && { compared }) };
      } catch (error) {
        return error instanceof Problem ? error : lineFailed(error, line);
      }
    };
    return inOwnTurns(received, (each) => ({ line: each.line, command: parse(each) }));
  }

  /**
   * Imports a chunk and commits it. If the statement fails because of one identifier, the chunk is halved until that identifier is alone.
   * @returns results in the order of the lines.
   */
  async import(lines: readonly ReadyLine[], context: ImportContext): Promise<LineResult[]> {
    try {
      return resultsOf(lines, await this.importer.insert(itemsIn(lines), decisionsOf(lines, context.principal)));
    } catch (error) {
      const [first] = lines;
      if (first === undefined || !isCausedByData(error)) throw error;
      if (lines.length === 1) return [{ line: first.line, result: context.lineFailed(error, first.line) }];
      const middle = Math.ceil(lines.length / 2);
      const before = await this.import(lines.slice(0, middle), context);
      return [...before, ...(await this.import(lines.slice(middle), context))];
    }
  }

  /** Returns what an import of each line alone would do, without writes and locks. */
  async preview(lines: readonly ReadyLine[], { principal }: ImportContext): Promise<LineResult[]> {
    return resultsOf(lines, await this.importer.preview(itemsIn(lines), decisionsOf(lines, principal)));
  }
}

function itemsIn(lines: readonly ReadyLine[]): ImportedIdentifier[] {
  return lines.flatMap(({ command }) => (command instanceof Problem ? [] : [command.item]));
}

/** @param decided the results of the items that were not inserted. */
function resultsOf(lines: readonly ReadyLine[], decided: Results): LineResult[] {
  return lines.map(({ line, command }) => {
    if (command instanceof Problem) return { line, result: command };
    const imported = { outcome: 'imported' as const, identifier: nativeText(command.record) };
    return { line, result: decided.get(command.item) ?? imported };
  });
}

function decisionsOf(
  lines: readonly ReadyLine[],
  reader: ConflictReader,
): (item: ImportedIdentifier, conflicts: Conflicts) => LineResult['result'] {
  const commands = lines.flatMap(({ command }) => (command instanceof Problem ? [] : [command]));
  const byItem = new Map(commands.map((command) => [command.item, command]));
  return (item, conflicts) => {
    const command = byItem.get(item);
    const { address, collision } = conflicts;
    if (command === undefined || address === null || collision !== null) return problemOf(conflicts, reader);
    const differing = differences(address, command);
    if (differing.length === 0) return { outcome: 'unchanged', identifier: nativeText(command.record) };
    const what = `This identifier is registered with other values (${differing.join(', ')})`;
    return conflictProblem('IDENTIFIER_TAKEN', what, address, '/identifier');
  };
}

function problemOf({ metadata, alternate, claim, registered, collision }: Conflicts, reader: ConflictReader): Problem {
  if (collision !== null) return keyCollision(collision === '/localName' ? '/identifier' : collision);
  if (metadata !== null) return nameConflictProblem('METADATA_ID_TAKEN', metadata, '/metadataId');
  if (claim !== null) return claimProblem(claim, '/identifier', reader);
  const holder = alternate ?? registered;
  if (holder === null) throw new TypeError('an import conflict always has an identifier');
  return nameConflictProblem('ALTERNATE_ID_TAKEN', holder.record, `/alternateIds/${holder.index}`);
}
