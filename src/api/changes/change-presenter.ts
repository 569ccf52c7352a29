import { HttpStatus, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { type ChangedLine, ChangeStreamService } from '../../changing/change-stream.service.js';
import { rejection } from '../../problem/problem-document.dto.js';
import { Problem } from '../../problem/problem.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import { IdentifierPresenter } from '../representation/identifier-presenter.js';
import type { ChangeResultDto } from './change.dto.js';

/** Number of records that are read at once. A stream keeps them in memory until its client has read the results. */
const READ_TOGETHER = 10;

export interface ChangeStyle {
  readonly principal: Principal;
  readonly instance: string;
  /** Whether the results have no records, as in a dry run. */
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

  private result(
    { line, clientRef, repairs, identifier: found, result }: ChangedLine,
    records: ReadonlyMap<bigint, IdentifierRecord> | null,
    { instance }: ChangeStyle,
  ): ChangeResultDto {
    const named = { line, clientRef: clientRef ?? null };
    if (result instanceof Problem) {
      const { status, problem } = rejection(result, instance);
      return { ...named, status, ...(found !== undefined && { identifier: found }), problem };
    }
    const { id, outcome, identifier, version, ...values } = result;
    const record = records?.get(id);
    return {
      ...{ ...named, status: HttpStatus.OK, outcome, identifier, version, ...values },
      ...(repairs.length > 0 && { repairs }),
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
