import { HttpStatus, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { redactFor } from '../../access/redact.js';
import { CATALOGUE } from '../../problem/catalogue.js';
import { problemDocument } from '../../problem/problem-document.dto.js';
import { Problem } from '../../problem/problem.js';
import type { IdentifierDto } from '../representation/identifier.dto.js';
import { IdentifierPresenter } from '../representation/identifier-presenter.js';
import { nativeText } from '../../registry/identifier-record.js';
import type { MinimalMintResultDto, MintResultDto } from './batch/batch.dto.js';
import type { MintOutcome } from './mint-outcome.js';

@Injectable()
export class MintResults {
  constructor(private readonly presenter: IdentifierPresenter) {}

  identifier({ record }: Pick<MintOutcome, 'record'>, principal: Principal): IdentifierDto {
    return this.presenter.show(redactFor(principal, record));
  }

  /** The metadata record that was minted with it; null for none. */
  metadataRecord({ metadataRecord }: Pick<MintOutcome, 'metadataRecord'>, principal: Principal): IdentifierDto | null {
    return metadataRecord === null ? null : this.presenter.show(redactFor(principal, metadataRecord));
  }

  /**
   * The result of one of many mints.
   * @param instance the path of the request.
   */
  result(
    clientRef: string | null,
    result: MintOutcome | Problem,
    principal: Principal,
    instance: string,
  ): MintResultDto {
    if (result instanceof Problem) {
      return { clientRef, status: CATALOGUE[result.code].status, problem: problemDocument(result, instance) };
    }
    // Mutates the new object: copying that many members takes longer.
    const metadataRecord = this.metadataRecord(result, principal);
    const identifier = Object.assign(this.identifier(result, principal), { metadataRecord });
    return { clientRef, status: statusOf(result), identifier };
  }

  /** The same for `Prefer: return=minimal`: the identifier as text instead of its representation. */
  minimal(clientRef: string | null, result: MintOutcome | Problem, instance: string): MinimalMintResultDto {
    if (result instanceof Problem) {
      return { clientRef, status: CATALOGUE[result.code].status, problem: problemDocument(result, instance) };
    }
    return { clientRef, status: statusOf(result), identifier: nativeText(result.record) };
  }
}

/** 201 for an identifier that the request minted, now or earlier; 200 for an existing one. */
export function statusOf({ outcome }: MintOutcome): number {
  return outcome === 'existing' || outcome === 'found' ? HttpStatus.OK : HttpStatus.CREATED;
}
