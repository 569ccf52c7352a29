import { HttpStatus, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Principal } from '../../access/principal.js';
import { canonicalUri } from '@mintmark/identifier';
import { rejection } from '../../problem/problem-document.dto.js';
import { Problem } from '../../problem/problem.js';
import { type IdentifierRecord, identifierOf, locationOf, nativeText } from '../../registry/identifier-record.js';
import type { IdentifierDto } from '../representation/identifier.dto.js';
import { locationHeader } from '../../http/headers/links.js';
import { IdentifierPresenter, SerializedIdentifier } from '../representation/identifier-presenter.js';
import type { MintResultDto } from './batch.dto.js';
import type { MintedIdentifierDto } from './mint-request.dto.js';
import { FoundRecords, type WholeResult } from '../../minting/found-records.js';
import { type MintOutcome, type NamedResult, type WholeOutcome, isWholeOutcome } from '../../minting/mint-outcome.js';

/** Number of results that are serialized before other requests continue. */
const SLICE = 100;

export interface ResultStyle {
  readonly principal: Principal;
  readonly instance: string;
  readonly isMinimal: boolean;
}

@Injectable()
export class MintPresenter {
  constructor(
    private readonly presenter: IdentifierPresenter,
    private readonly found: FoundRecords,
  ) {}

  /** Sets the status and the headers of a single mint. @returns the body. */
  async respond(reply: FastifyReply, minted: MintOutcome, principal: Principal): Promise<string> {
    const outcome = isWholeOutcome(minted) ? minted : await this.found.read(minted);
    const shown = this.show(outcome.record, principal);
    const written = new SerializedIdentifier(shown);
    void reply
      .status(statusOf(outcome))
      .headers(locationHeader(locationOf(shown)))
      .header('etag', written.entityTag);
    if (['replayed', 'found'].includes(outcome.outcome)) void reply.header('idempotency-replayed', 'true');
    const own: Pick<MintedIdentifierDto, 'metadataRecord' | 'ignored' | 'understood'> = {
      metadataRecord: this.metadataRecord(outcome, principal),
    };
    return written.toResponse(reply, addNotes(own, outcome));
  }

  async *results(results: readonly NamedResult[], style: ResultStyle): AsyncGenerator<MintResultDto[]> {
    if (style.isMinimal) {
      for (let from = 0; from < results.length; from += SLICE)
        yield results.slice(from, from + SLICE).map((result) => briefly(result, style));
      return;
    }
    for await (const part of this.found.parts(results)) yield part.map((result) => this.result(result, style));
  }

  private result({ clientRef, result }: WholeResult, style: ResultStyle): MintResultDto {
    if (result instanceof Problem) return { clientRef, ...rejection(result, style.instance) };
    const { principal } = style;
    const shown: MintResultDto = {
      clientRef,
      status: statusOf(result),
      identifier: nativeText(result.record),
      record: this.show(result.record, principal),
      metadataRecord: this.metadataRecord(result, principal),
    };
    return addNotes(shown, result);
  }

  private metadataRecord({ record, metadataRecord }: WholeOutcome, principal: Principal): IdentifierDto | null {
    return metadataRecord === null || principal.hides(record) ? null : this.show(metadataRecord, principal);
  }

  private show(record: IdentifierRecord, principal: Principal): IdentifierDto {
    return this.presenter.show(principal.redact(record));
  }
}

function briefly({ clientRef, result }: NamedResult, style: ResultStyle): MintResultDto {
  if (result instanceof Problem) return { clientRef, ...rejection(result, style.instance) };
  const { record, metadataRecord } = result;
  const brief: MintResultDto = { clientRef, status: statusOf(result), identifier: nativeText(record) };
  addNotes(brief, result);
  if (metadataRecord !== null && !style.principal.hides(record))
    brief.metadataId = canonicalUri(identifierOf(metadataRecord));
  return brief;
}

function statusOf({ outcome }: MintOutcome): number {
  return outcome === 'created' || outcome === 'replayed' ? HttpStatus.CREATED : HttpStatus.OK;
}

function addNotes<T extends Pick<MintedIdentifierDto, 'ignored' | 'understood'>>(
  shown: T,
  { ignored = [], understood }: MintOutcome,
): T {
  if (ignored.length > 0) shown.ignored = ignored;
  if (understood !== undefined) shown.understood = understood;
  return shown;
}
