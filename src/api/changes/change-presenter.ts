import { HttpStatus, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { type ChangedLine, ChangeStreamService, type PreviewedLine } from '../../changing/change-stream.service.js';
import { changedMembers } from '../../changing/changed-members.js';
import { CATALOGUE } from '../../problem/catalogue.js';
import { problemDocument } from '../../problem/problem-document.dto.js';
import { Problem } from '../../problem/problem.js';
import { type IdentifierRecord, nativeText } from '../../registry/identifier-record.js';
import { IdentifierPresenter } from '../representation/identifier-presenter.js';
import type { ChangeResultDto } from './change.dto.js';

/** Number of records that are read at once. A stream keeps them in memory until its client has read the results. */
const READ_TOGETHER = 10;

export interface ChangeStyle {
  readonly principal: Principal;
  readonly instance: string;
  readonly isMinimal: boolean;
}

@Injectable()
export class ChangePresenter {
  constructor(
    private readonly changes: ChangeStreamService,
    private readonly presenter: IdentifierPresenter,
  ) {}

  async *results(lines: readonly ChangedLine[], style: ChangeStyle): AsyncGenerator<ChangeResultDto[]> {
    for (let from = 0; from < lines.length; from += READ_TOGETHER) {
      const some = lines.slice(from, from + READ_TOGETHER);
      const records = style.isMinimal ? null : await this.recordsOf(some, style.principal);
      yield some.map((line) => this.result(line, records, style));
    }
  }

  preview({ line, clientRef, repairs, identifier: found, result }: PreviewedLine, instance: string): ChangeResultDto {
    if (result instanceof Problem) return { ...named(line, clientRef), ...rejectionOf(result, instance, found) };
    const { before, after, amendment } = result;
    const common = { ...named(line, clientRef), status: HttpStatus.OK, ...repairsIn(repairs) };
    const { version } = after;
    const identifier = nativeText(after);
    if (amendment === null) return { ...common, outcome: 'unchanged', identifier, version };
    return { ...common, outcome: 'changed', identifier, version, ...changedMembers(before, after) };
  }

  private result(
    { line, clientRef, repairs, identifier: found, result }: ChangedLine,
    records: ReadonlyMap<bigint, IdentifierRecord> | null,
    { instance }: ChangeStyle,
  ): ChangeResultDto {
    if (result instanceof Problem) return { ...named(line, clientRef), ...rejectionOf(result, instance, found) };
    const { outcome, id, identifier, version, old } = result;
    const record = records?.get(id);
    return {
      ...named(line, clientRef),
      ...{ status: HttpStatus.OK, outcome, identifier, version, ...repairsIn(repairs) },
      ...(old !== undefined && { old }),
      ...(record !== undefined && { record: this.presenter.show(record) }),
    };
  }

  private async recordsOf(
    lines: readonly ChangedLine[],
    principal: Principal,
  ): Promise<ReadonlyMap<bigint, IdentifierRecord>> {
    const ids = lines.flatMap(({ result }) => (result instanceof Problem ? [] : [result.id]));
    const records = await this.changes.find([...new Set(ids)], principal);
    return new Map(records.map((record) => [record.id, record]));
  }
}

function repairsIn(repairs: ChangedLine['repairs']): Pick<ChangeResultDto, 'repairs'> {
  return repairs.length > 0 ? { repairs } : {};
}

function named(line: number, clientRef: string | undefined): Pick<ChangeResultDto, 'line' | 'clientRef'> {
  return { line, clientRef: clientRef ?? null };
}

function rejectionOf(
  problem: Problem,
  instance: string,
  identifier: string | undefined,
): Pick<ChangeResultDto, 'status' | 'problem' | 'identifier'> & { status: number } {
  const { status } = CATALOGUE[problem.code];
  return { status, ...(identifier !== undefined && { identifier }), problem: problemDocument(problem, instance) };
}
