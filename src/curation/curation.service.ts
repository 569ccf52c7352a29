import { Injectable } from '@nestjs/common';
import type { Asked as Asking } from '../access/asked.js';
import { visibleTo } from '../access/visible.js';
import { type EntityTags, matchesStrongly } from '../http/entity-tags.js';
import { Problem } from '../problem/problem.js';
import { findRegistered } from '../record/find-registered.js';
import { type Amendment, IdentifierChanges } from '../record/identifier-changes.js';
import type { IdentifierDto } from '../record/identifier.dto.js';
import { IdentifierPresenter, entityTag } from '../record/identifier-presenter.js';
import { IdentifierReader } from '../record/identifier-reader.js';
import { type IdentifierRecord, identifierOf, nativeText } from '../record/identifier-record.js';
import type { Address, KnownAuthorities } from '../record/known-authorities.js';
import { type Step, activation, reinstatement, requireState, withdrawal } from '../record/lifecycle.js';
import { NameConflicts } from '../record/name-conflicts.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import { Outcomes, type Settled, keyedRequest, requireNoMint } from '../record/outcomes.js';
import { requireTwoThings } from '../record/read-names.js';
import type { Queryable } from '../record/transactions.js';
import { type Change, changeMeaning, isMet, readChange } from './change.js';
import type { ChangeRequestDto } from './change-request.dto.js';
import { readReplacement, requireReplacement } from './replacement.js';
import type { WithdrawRequestDto } from './withdraw-request.dto.js';

/** How often a change is tried again that met a name which was free a moment later. */
const MAX_ATTEMPTS = 5;

/** Who wants an identifier changed, and on what condition. */
export interface Asked extends Asking {
  /** In any spelling. */
  readonly identifier: string;
  readonly ifMatch: EntityTags | undefined;
}

/** A step in the life of an identifier. */
interface Work {
  readonly step: Step;
  /** What is asked beside the step itself, free of spellings. */
  readonly meaning: object;
  readonly change?: Change;
  /** Another identifier that must not change meanwhile; null for none of ours. */
  readonly beside?: Address | null;
  /** @returns null when there is nothing to remember. */
  readonly amend: (record: IdentifierRecord, beside: IdentifierRecord | null) => Amendment | null;
}

/** Changes registered identifiers and takes them through their life. */
@Injectable()
export class CurationService {
  constructor(
    private readonly reader: IdentifierReader,
    private readonly changes: IdentifierChanges,
    private readonly conflicts: NameConflicts,
    private readonly outcomes: Outcomes,
    private readonly authorities: NamingAuthorities,
    private readonly presenter: IdentifierPresenter,
  ) {}

  /**
   * Each of these answers the identifier as it is then.
   * @throws Problem a syntax code, IDENTIFIER_NOT_FOUND, SCOPE_MISSING, NAMING_AUTHORITY_FORBIDDEN, WRONG_STATE,
   * PRECONDITION_FAILED, METADATA_ID_IS_IDENTIFIER,
   * METADATA_ID_TAKEN, ALTERNATE_ID_TAKEN, IDEMPOTENCY_KEY_REUSED, REQUEST_IN_FLIGHT
   */
  async change(asked: Asked, request: ChangeRequestDto): Promise<Settled<IdentifierDto>> {
    const known = await this.authorities.current();
    const change = readChange(request, known);
    const amend = (record: IdentifierRecord): Amendment | null => {
      requireDescribedByAnother(record, change, known);
      return isMet(change, record) ? null : { kind: 'changed', ...change };
    };
    return this.run(asked, { step: 'changed', meaning: changeMeaning(change), change, amend });
  }

  /** From reserved to active, with the same changes where they are asked for. Whoever may mint may do it. */
  async activate(asked: Asked, request: ChangeRequestDto): Promise<Settled<IdentifierDto>> {
    const known = await this.authorities.current();
    const change = readChange(request, known);
    const amend = (record: IdentifierRecord): Amendment => {
      requireDescribedByAnother(record, change, known);
      return { ...activation(), ...change };
    };
    return this.run(asked, { step: 'activated', meaning: changeMeaning(change), change, amend });
  }

  /** @throws Problem REPLACEMENT_NOT_FOUND besides. */
  async withdraw(asked: Asked, { reason, replacedBy }: WithdrawRequestDto): Promise<Settled<IdentifierDto>> {
    const known = await this.authorities.current();
    const { text, address } =
      replacedBy === undefined ? { text: null, address: null } : readReplacement(replacedBy, known);
    return this.run(asked, {
      step: 'withdrawn',
      meaning: { reason, replacedBy: text },
      // What is hidden from the caller is not registered, as far as it can tell.
      beside: address !== null && asked.caller.sees(address.namingAuthority) ? address : null,
      amend: (record, beside) => {
        if (address !== null) requireReplacement(beside, text, record.id);
        return withdrawal(record, reason, beside === null ? text : nativeText(beside));
      },
    });
  }

  async reinstate(asked: Asked): Promise<Settled<IdentifierDto>> {
    return this.run(asked, { step: 'reinstated', meaning: {}, amend: reinstatement });
  }

  private async run(asked: Asked, work: Work): Promise<Settled<IdentifierDto>> {
    const { caller, identifier } = asked;
    const { record } = await this.authorities.lookUp((known) =>
      findRegistered(identifier, known, this.reader, (prefix) => caller.sees(prefix)),
    );
    const scope = work.step === 'activated' && caller.has('mint') ? 'mint' : 'curate';
    caller.require(scope, record.namingAuthority, '#path/identifier');
    const meaning = { [work.step]: nativeText(record), ...work.meaning };
    const request = keyedRequest(caller, asked.idempotencyKey, meaning);
    for (let attempt = 1; ; attempt++) {
      try {
        const { outcome, replayed } = await this.outcomes.once(request, async (transaction) => {
          await requireNoMint(transaction, request);
          return this.take(transaction, record, asked, work);
        });
        // Another key of the same client, which sees more, may have had this outcome first.
        return { outcome: visibleTo(caller, outcome), replayed };
      } catch (error) {
        const problem = await this.conflicts.explain(error, record, work.change ?? {});
        if (problem !== null) throw problem;
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Everything is decided by the records as they are while nobody else can change them. */
  private async take(
    transaction: Queryable,
    { id }: IdentifierRecord,
    { caller, ifMatch }: Asked,
    { step, beside = null, amend }: Work,
  ): Promise<IdentifierDto> {
    const other = beside === null ? null : await this.reader.find(beside, transaction);
    const seen = new Map<bigint, IdentifierRecord>();
    const ids = [...new Set([...(other === null ? [] : [other.id]), id])];
    const [changed] = await this.changes.amend(transaction, caller, ids, (record) => {
      seen.set(record.id, record);
      if (record.id !== id) return null;
      requireState(record, step);
      if (ifMatch !== undefined) requireMatch(ifMatch, entityTag(this.presenter.show(visibleTo(caller, record))));
      return amend(record, other === null ? null : (seen.get(other.id) ?? null));
    });
    const record = changed ?? seen.get(id);
    if (record === undefined) throw new TypeError('a registered identifier is never removed');
    return this.presenter.show(visibleTo(caller, record));
  }
}

/** @throws Problem PRECONDITION_FAILED */
function requireMatch(ifMatch: EntityTags, current: string): void {
  if (matchesStrongly(ifMatch, current)) return;
  const detail = 'If-Match names none of its present entity tags; read it again, and decide with what it says now';
  throw new Problem('PRECONDITION_FAILED', `${detail}.`, { errors: [{ pointer: '#header/If-Match', detail }] });
}

function requireDescribedByAnother(
  record: IdentifierRecord,
  { metadata = null }: Change,
  known: KnownAuthorities,
): void {
  requireTwoThings(known.storedName(identifierOf(record)).key, metadata, '/metadataId');
}
