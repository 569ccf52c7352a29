import { Injectable } from '@nestjs/common';
import type { Principal } from '../access/principal.js';
import { inOwnTurns } from '../http/body/own-turn.js';
import { isCausedByData } from '../problem/database-errors.js';
import { Problem } from '../problem/problem.js';
import type { ImportedIdentifier } from '../registry/new-identifier.js';
import type { Conflicts } from '../storage/identifiers/conflict-finder.js';
import { IdentifierImporter } from '../storage/identifiers/identifier-importer.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import { type ImportCommand, type ImportRequest, parseImport } from './import-command.js';
import type { PreviewedImports } from './previewed-imports.js';
import { type Decision, isSame, ownersIn } from './transfer-record.js';

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

export interface LineResult {
  readonly line: number;
  readonly result: Decision | Problem;
}

type Outcome = Decision | { readonly outcome: 'failed'; readonly error: unknown };

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

  /** Imports a chunk and commits it. Results are in the order of the lines. */
  async import(lines: readonly ReadyLine[], { lineFailed }: Pick<ImportContext, 'lineFailed'>): Promise<LineResult[]> {
    const commands = lines.flatMap(({ command }) => (command instanceof Problem ? [] : [command]));
    const outcomes = await this.insert(commands);
    return lines.map(({ line, command }) => {
      if (command instanceof Problem) return { line, result: command };
      const outcome = outcomes.get(command);
      if (outcome === undefined) throw new TypeError('every command has an outcome');
      return { line, result: outcome.outcome === 'failed' ? lineFailed(outcome.error, line) : outcome };
    });
  }

  /** Returns what an import of a chunk would do, without writes and locks. @param names what earlier lines would have registered. */
  async preview(lines: readonly ReadyLine[], names: PreviewedImports): Promise<LineResult[]> {
    const commands = lines.flatMap(({ command }) => (command instanceof Problem ? [] : [command]));
    const items = commands.map(({ item }) => item);
    const found = await this.importer.preview(items, decisionsOf(commands));
    return lines.map(({ line, command }) => {
      if (command instanceof Problem) return { line, result: command };
      const stored = found.get(command.item);
      if (stored !== undefined && stored.outcome !== 'conflict') return { line, result: stored };
      return { line, result: names.add(command, stored?.conflicts) };
    });
  }

  /** Inserts a chunk. If the statement fails because of one identifier, the chunk is halved until that identifier is alone. */
  private async insert(commands: readonly ImportCommand[]): Promise<ReadonlyMap<ImportCommand, Outcome>> {
    try {
      const items = commands.map(({ item }) => item);
      const rejected = await this.importer.insert(items, decisionsOf(commands));
      return new Map(
        commands.map((command): [ImportCommand, Decision] => {
          const { item, record } = command;
          return [command, rejected.get(item) ?? { outcome: 'imported', record }];
        }),
      );
    } catch (error) {
      if (commands.length === 0 || !isCausedByData(error)) throw error;
      if (commands.length === 1) return new Map(commands.map((command) => [command, { outcome: 'failed', error }]));
      const middle = Math.ceil(commands.length / 2);
      const first = await this.insert(commands.slice(0, middle));
      return new Map([...first, ...(await this.insert(commands.slice(middle)))]);
    }
  }
}

function decisionsOf(commands: readonly ImportCommand[]): (item: ImportedIdentifier, conflicts: Conflicts) => Decision {
  const byItem = new Map(commands.map((command) => [command.item, command]));
  return (item, conflicts) => {
    const command = byItem.get(item);
    const { address, collision } = conflicts;
    if (command !== undefined && address !== null && collision === null && isSame(address, command))
      return { outcome: 'unchanged', record: command.record };
    return { outcome: 'conflict', conflicts: ownersIn(conflicts) };
  };
}
