import { HttpStatus, Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { visibleTo } from '../access/visible.js';
import { CATALOGUE } from '../problem/catalogue.js';
import { problemDocument } from '../problem/problem-document.dto.js';
import { Problem } from '../problem/problem.js';
import type { IdentifierDto } from '../record/identifier.dto.js';
import { IdentifierPresenter } from '../record/identifier-presenter.js';
import type { MintResultDto } from './batch.dto.js';
import type { Minted } from './minted.js';

/** Shows clients what became of mints. */
@Injectable()
export class MintResults {
  constructor(private readonly presenter: IdentifierPresenter) {}

  /** The identifier that a mint came to, as the caller may see it. */
  identifier({ record }: Pick<Minted, 'record'>, caller: Caller): IdentifierDto {
    return this.presenter.show(visibleTo(caller, record));
  }

  /** The metadata record that was minted beside it; null when none was. */
  metadataRecord({ metadataRecord }: Pick<Minted, 'metadataRecord'>, caller: Caller): IdentifierDto | null {
    return metadataRecord === null ? null : this.presenter.show(visibleTo(caller, metadataRecord));
  }

  /**
   * What one of many mints came to.
   * @param instance the path of the request.
   */
  result(clientRef: string | null, result: Minted | Problem, caller: Caller, instance: string): MintResultDto {
    if (result instanceof Problem) {
      return { clientRef, status: CATALOGUE[result.code].status, problem: problemDocument(result, instance) };
    }
    // Added to what was made for this answer: a copy of so many members would take longer than all of them.
    const metadataRecord = this.metadataRecord(result, caller);
    const identifier = Object.assign(this.identifier(result, caller), { metadataRecord });
    return { clientRef, status: statusOf(result), identifier };
  }
}

/** 201 for what the request minted, now or when it was sent before; 200 for what was there before. */
export function statusOf({ outcome }: Minted): number {
  return outcome === 'existing' || outcome === 'found' ? HttpStatus.OK : HttpStatus.CREATED;
}
