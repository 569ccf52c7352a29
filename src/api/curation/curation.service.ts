import { Injectable } from '@nestjs/common';
import type { RequestContext as Asking } from '../../access/request-context.js';
import { redactFor } from '../../access/principal.js';
import { type EntityTags, matchesStrongly } from '../../http/headers/entity-tags.js';
import { Problem } from '../../problem/problem.js';
import { resolveIdentifier } from '../../registry/resolve-identifier.js';
import { IdentifierUpdater } from '../../storage/identifiers/identifier-updater.js';
import { type Amendment } from '../../registry/lifecycle.js';
import type { IdentifierDto } from '../representation/identifier.dto.js';
import { IdentifierPresenter, entityTag } from '../representation/identifier-presenter.js';
import { IdentifierReader } from '../../storage/identifiers/identifier-reader.js';
import { type IdentifierRecord, identifierOf, nativeText } from '../../registry/identifier-record.js';
import type { Address, NamingAuthoritySnapshot } from '../../registry/naming-authority-snapshot.js';
import { type Step, activation, reinstatement, requireState, withdrawal } from '../../registry/lifecycle.js';
import { NameConflicts } from './name-conflicts.js';
import { NamingAuthorityCache } from '../../storage/naming-authorities/naming-authority-cache.js';
import { IdempotentRequests, type Replayable, keyedRequest } from '../../storage/idempotency.js';
import { requireTwoThings } from '../../registry/parse-names.js';
import type { Queryable } from '../../storage/transactions.js';
import { type Change, canonicalChange, isMet, readChange } from './change.js';
import type { UpdateIdentifierDto } from './change-request.dto.js';
import { readReplacement, requireReplacement } from './replacement.js';
import type { WithdrawRequestDto } from './withdraw-request.dto.js';

/** Attempts of a change after conflicts that were resolved meanwhile. */
const MAX_ATTEMPTS = 5;

/** Principal, identifier and precondition of a change. */
export interface ChangeContext extends Asking {
  readonly identifier: string;
  readonly ifMatch: EntityTags | undefined;
}

interface Work {
  readonly step: Step;
  /** The fingerprint source of the step, in canonical form. */
  readonly content: object;
  readonly change?: Change;
  /** Another identifier that is locked with it; null for none of this service. */
  readonly beside?: Address | null;
  /** @returns null when nothing changes. */
  readonly amend: (record: IdentifierRecord, at: Date, beside: IdentifierRecord | null) => Amendment | null;
}

@Injectable()
export class CurationService {
  constructor(
    private readonly reader: IdentifierReader,
    private readonly changes: IdentifierUpdater,
    private readonly conflicts: NameConflicts,
    private readonly outcomes: IdempotentRequests,
    private readonly authorities: NamingAuthorityCache,
    private readonly presenter: IdentifierPresenter,
  ) {}

  /**
   * All methods return the changed identifier.
   * @throws Problem a syntax code, IDENTIFIER_NOT_FOUND, SCOPE_MISSING, NAMING_AUTHORITY_FORBIDDEN, WRONG_STATE,
   * PRECONDITION_FAILED, METADATA_ID_IS_IDENTIFIER, METADATA_ID_TAKEN, ALTERNATE_ID_TAKEN, IDEMPOTENCY_KEY_REUSED,
   * REQUEST_IN_FLIGHT
   */
  async change(context: ChangeContext, request: UpdateIdentifierDto): Promise<Replayable<IdentifierDto>> {
    const known = context.principal.viewOf(await this.authorities.current());
    const change = readChange(request, known);
    const amend = (record: IdentifierRecord): Amendment | null => {
      requireDescribedByAnother(record, change, known);
      return isMet(change, record) ? null : { kind: 'changed', ...change };
    };
    return this.run(context, { step: 'changed', content: canonicalChange(change), change, amend });
  }

  /** Activates a reserved identifier, with optional changes. The scope `mint` is sufficient. */
  async activate(context: ChangeContext, request: UpdateIdentifierDto): Promise<Replayable<IdentifierDto>> {
    const known = context.principal.viewOf(await this.authorities.current());
    const change = readChange(request, known);
    const amend = (record: IdentifierRecord): Amendment => {
      requireDescribedByAnother(record, change, known);
      return { ...activation(), ...change };
    };
    return this.run(context, { step: 'activated', content: canonicalChange(change), change, amend });
  }

  /** @throws Problem REPLACEMENT_NOT_FOUND besides. */
  async withdraw(
    context: ChangeContext,
    { reason, replacedBy }: WithdrawRequestDto,
  ): Promise<Replayable<IdentifierDto>> {
    const known = context.principal.viewOf(await this.authorities.current());
    const { text, address, namingAuthority } =
      replacedBy === undefined
        ? { text: null, address: null, namingAuthority: null }
        : readReplacement(replacedBy, known);
    // Rejected before the look-up: a hidden identifier must not be distinguishable from a missing one.
    const isUnseen = namingAuthority !== null && !context.principal.canSee(namingAuthority);
    return this.run(context, {
      step: 'withdrawn',
      content: { reason, replacedBy: text },
      beside: address,
      amend: (record, at, beside) => {
        if (address !== null || isUnseen) requireReplacement(beside, text, record.id);
        return withdrawal(record, at, reason, beside === null ? text : nativeText(beside));
      },
    });
  }

  async reinstate(context: ChangeContext): Promise<Replayable<IdentifierDto>> {
    return this.run(context, { step: 'reinstated', content: {}, amend: reinstatement });
  }

  private async run(context: ChangeContext, work: Work): Promise<Replayable<IdentifierDto>> {
    const { principal, identifier } = context;
    const { record } = await this.authorities.lookUp(identifier, (known) =>
      resolveIdentifier(identifier, principal.viewOf(known), this.reader),
    );
    const scope = work.step === 'activated' && principal.has('mint') ? 'mint' : 'curate';
    principal.require(scope, record.namingAuthority, '#path/identifier');
    const content = { [work.step]: nativeText(record), ...work.content };
    const request = keyedRequest(principal, context.idempotencyKey, content);
    for (let attempt = 1; ; attempt++) {
      try {
        const { result: outcome, replayed } = await this.outcomes.run(request, (transaction) =>
          this.take(transaction, record, context, work),
        );
        // A replay may come from another key of the same client that can see more.
        return { result: redactFor(principal, outcome), replayed };
      } catch (error) {
        const problem = await this.conflicts.explain(error, record, work.change ?? {});
        if (problem !== null) throw problem;
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Decides on the locked record, which no other transaction can change. */
  private async take(
    transaction: Queryable,
    { id }: IdentifierRecord,
    { principal, ifMatch }: ChangeContext,
    { step, beside = null, amend }: Work,
  ): Promise<IdentifierDto> {
    const other = beside === null ? null : await this.reader.find(beside, transaction);
    const seen = new Map<bigint, IdentifierRecord>();
    const ids = [...new Set([...(other === null ? [] : [other.id]), id])];
    const [changed] = await this.changes.amend(transaction, principal, ids, (record, at) => {
      seen.set(record.id, record);
      if (record.id !== id) return null;
      requireState(record, step);
      if (ifMatch !== undefined) requireMatch(ifMatch, entityTag(this.presenter.show(redactFor(principal, record))));
      return amend(record, at, other === null ? null : (seen.get(other.id) ?? null));
    });
    const record = changed ?? seen.get(id);
    if (record === undefined) throw new TypeError('a registered identifier is never removed');
    return this.presenter.show(redactFor(principal, record));
  }
}

/** @throws Problem PRECONDITION_FAILED */
function requireMatch(ifMatch: EntityTags, current: string): void {
  if (matchesStrongly(ifMatch, current)) return;
  const detail =
    'If-Match does not match the current entity tag of the identifier; read it again and repeat the change with its new ETag';
  throw new Problem('PRECONDITION_FAILED', `${detail}.`, { errors: [{ pointer: '#header/If-Match', detail }] });
}

function requireDescribedByAnother(
  record: IdentifierRecord,
  { metadata = null }: Change,
  known: NamingAuthoritySnapshot,
): void {
  requireTwoThings(known.canonicalName(identifierOf(record)).key, metadata, '/metadataId');
}
