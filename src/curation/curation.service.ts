import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../access/principal.js';
import type { RequestContext } from '../access/request-context.js';
import type { Scope } from '../access/scope.js';
import type { RepairCode, Resolver } from '../identifier/index.js';
import { isUniqueViolation, rowsLost } from '../problem/database-errors.js';
import type { AlternateName } from '../registry/alternate-name.js';
import { DEFAULT_HTTP_RESOLVER } from '../registry/default-resolver.module.js';
import {
  type IdentifierRecord,
  type IdentifierSnapshot,
  deserializeRecord,
  nativeText,
  serializeRecord,
  snapshotOf,
} from '../registry/identifier-record.js';
import { denotes, keyCollision } from '../registry/key-collision.js';
import { changeTime, isDeleted } from '../registry/lifecycle.js';
import type { Address } from '../registry/naming-authority-snapshot.js';
import { resolveIdentifier } from '../registry/resolve-identifier.js';
import { IdempotentRequests, type Replayable } from '../storage/idempotency.js';
import { keyedRequest } from '../storage/idempotency-key.js';
import { IdentifierReader } from '../storage/identifiers/identifier-reader.js';
import { IdentifierUpdater } from '../storage/identifiers/identifier-updater.js';
import { NameHolders } from '../storage/identifiers/name-holders.js';
import { lockNames } from '../storage/identifiers/name-locks.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import { type Queryable, Transactions } from '../storage/transactions.js';
import {
  type CurationCommand,
  type CurationStep,
  type ParsedValues,
  decide,
  fingerprintSource,
  namesIn,
  parseCommand,
  requirePermitted,
} from './curation-command.js';
import { claimsBy } from './claims.js';
import { decideMetadataRecord } from './metadata-record.js';
import type { ValuesStep } from './values-command.js';

/** Attempts of a change after conflicts that were resolved meanwhile. */
const MAX_ATTEMPTS = 5;

export interface CurationContext extends RequestContext {
  /** The identifier in any form. */
  readonly identifier: string;
  /** Where the request has the identifier. */
  readonly pointer: string;
  /** Throws when the identifier, as the principal sees it, is not the one that the change is based on. */
  readonly requireCurrent?: (snapshot: IdentifierSnapshot) => void;
}

export interface CurationResult extends Replayable<IdentifierSnapshot> {
  /** How the text of the request differs from the name of the identifier. */
  readonly repairs: readonly RepairCode[];
}

/** Writes of values have their own rules for states. */
function isOfValues(step: CurationStep): step is ValuesStep {
  return step.step === 'put' || step.step === 'removed' || step.step === 'deleted';
}

/** To write a deleted Handle registers it again. */
function scopeOf(step: CurationStep, found: IdentifierRecord, principal: Principal): Scope {
  if (step.step === 'activated' && principal.has('mint')) return 'mint';
  return step.step === 'put' && isDeleted(found) ? 'register' : 'curate';
}

/** The names in a step that must be unique. */
function namesOf(step: CurationStep): ParsedValues {
  if ('values' in step) return step.values;
  return step.step === 'put' && step.metadata !== undefined ? { metadata: step.metadata } : {};
}

/** Where the replacement or the previous version is registered that a step names. */
function otherAddressIn(step: CurationStep): Address | null {
  if ('values' in step) return step.values.replaces?.address ?? null;
  return step.step === 'withdrawn' ? (step.replacement?.address ?? null) : null;
}

/** A requested name is a unique value of another identifier. */
export class NameConflict extends Error {
  /** @param pointer the location of the name in the command, a JSON Pointer (RFC 6901). */
  constructor(
    readonly code: 'METADATA_ID_TAKEN' | 'ALTERNATE_ID_TAKEN',
    readonly existing: Pick<IdentifierRecord, 'namingAuthority' | 'localName'>,
    readonly pointer: string,
  ) {
    super(`${code}: ${nativeText(existing)}`);
  }
}

@Injectable()
export class CurationService {
  constructor(
    private readonly reader: IdentifierReader,
    private readonly updater: IdentifierUpdater,
    private readonly holders: NameHolders,
    private readonly requests: IdempotentRequests,
    private readonly transactions: Transactions,
    private readonly namingAuthorities: NamingAuthorityCache,
    @Inject(DEFAULT_HTTP_RESOLVER) private readonly resolver: Resolver,
  ) {}

  /**
   * Changes, activates, withdraws, reinstates or deletes an identifier, or writes its Handle values. For an activation the scope
   * `mint` is sufficient; to write a deleted Handle requires `register`.
   * @returns the identifier after the change, as the principal sees it.
   * @throws NameConflict
   * @throws HandleFault as `decideValues`
   * @throws Problem a syntax code, IDENTIFIER_NOT_FOUND, KEY_COLLISION, SCOPE_MISSING, NAMING_AUTHORITY_FORBIDDEN, WRONG_STATE,
   * METADATA_ID_IS_IDENTIFIER, REPLACEMENT_NOT_FOUND, INVALID_PREDECESSOR, IDEMPOTENCY_KEY_REUSED, REQUEST_IN_FLIGHT
   */
  async run(context: CurationContext, command: CurationCommand): Promise<CurationResult> {
    const { principal, identifier, pointer, idempotencyKey, requireCurrent } = context;
    const names = namesIn(command);
    const all = await this.namingAuthorities.currentForTexts(names.length === 0 ? [] : [identifier, ...names]);
    const known = principal.viewOf(all);
    const assumed = known.metadataIdSchemeOf(identifier);
    const parsed = parseCommand(command, known, assumed);

    const { found, repairs, scheme } = await this.namingAuthorities.lookUp(
      identifier,
      async (latest) => {
        const view = principal.viewOf(latest);
        const { record, ...read } = await resolveIdentifier(identifier, view, this.reader, pointer);
        return { found: record, repairs: read.repairs, scheme: view.metadataIdScheme(record.namingAuthority) };
      },
      all,
    );
    // Another process may have created the naming authority after the first read.
    const step = scheme === assumed ? parsed : parseCommand(command, known, scheme);
    principal.require(scopeOf(step, found, principal), found.namingAuthority, pointer);

    const request = keyedRequest(principal, idempotencyKey, fingerprintSource(nativeText(found), step));
    const otherAddress = otherAddressIn(step);
    for (let attempt = 1; ; attempt++) {
      try {
        const { result, replayed } = await this.requests.run(request, async (transaction) => {
          const other = otherAddress === null ? null : await this.reader.find(otherAddress, transaction);
          const ids = [...new Set([...(other === null ? [] : [other.id]), found.id])];
          const { now, records, metadataRecords } = await this.updater.lock(transaction, ids);
          const record = records.find(({ id }) => id === found.id);
          if (record === undefined) throw rowsLost();
          // It may have been deleted since it was read.
          if (isOfValues(step)) principal.require(scopeOf(step, record, principal), record.namingAuthority, pointer);
          else requirePermitted(record, step);
          requireCurrent?.(snapshotOf(principal.redact(record), this.resolver));

          const at = changeTime(record, now);
          const amendment = decide(record, step, {
            at,
            known,
            other: records.find(({ id }) => id === other?.id) ?? null,
            principal,
          });
          if (amendment?.alternates !== undefined)
            await this.requireUnregistered(transaction, record, amendment.alternates);
          const changes = amendment === null ? [] : [{ record, amendment }];
          const paired = metadataRecords.get(record.id) ?? null;
          const follows = amendment === null ? null : decideMetadataRecord(record, amendment, step, paired, at);
          if (paired !== null && follows !== null) changes.push({ record: paired, amendment: follows });
          const [changed = record] = await this.updater.update(transaction, principal, now, changes);
          const snapshot = snapshotOf(principal.redact(changed), this.resolver);
          return serializeRecord(snapshot, snapshot.uris);
        });
        // A replay may come from another key of the same client that can see more.
        return { result: principal.redact(deserializeRecord(result)), replayed, repairs };
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        const conflict = await this.findConflict(found, namesOf(step));
        if (conflict !== null) throw conflict;
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Locks the names that a record claims by a change. @throws NameConflict for a registered one, or Problem KEY_COLLISION */
  private async requireUnregistered(
    transaction: Queryable,
    record: IdentifierRecord,
    alternates: readonly AlternateName[],
  ): Promise<void> {
    const claims = claimsBy(record, alternates);
    if (claims.length === 0) return;
    await lockNames(
      transaction,
      claims.map(({ address }) => ({ address, isClaim: true })),
    );
    const holders = await this.holders.findHolders(claims, transaction);
    for (const [at, { pointer }] of claims.entries()) {
      const holder = holders[at] ?? null;
      if (holder === null) continue;
      if (!holder.isSame) throw keyCollision(pointer);
      throw new NameConflict('ALTERNATE_ID_TAKEN', holder, pointer);
    }
  }

  /** Finds the constraint that a change violated; null when the conflict is gone, so that a retry may succeed. */
  private async findConflict(
    { id, namingAuthority }: IdentifierRecord,
    { metadata, alternates = [] }: ParsedValues,
  ): Promise<NameConflict | null> {
    if (metadata) {
      const holder = await this.reader.findByMetadataId(namingAuthority, metadata.key);
      if (holder !== null && holder.id !== id && !(await this.freed(holder, holder.metadataId === null))) {
        if (holder.metadataId !== null && !denotes(holder.metadataId, metadata)) throw keyCollision('/metadataId');
        return new NameConflict('METADATA_ID_TAKEN', holder, '/metadataId');
      }
    }
    for (const [index, name] of alternates.entries()) {
      const holder = await this.reader.findByAlternate(namingAuthority, name.key);
      if (holder !== null && holder.id !== id && !(await this.freed(holder, holder.alternateIds.length === 0))) {
        if (!holder.alternateIds.some((stored) => denotes(stored, name))) throw keyCollision(`/alternateIds/${index}`);
        return new NameConflict('ALTERNATE_ID_TAKEN', holder, `/alternateIds/${index}`);
      }
    }
    return null;
  }

  /** An expired reservation releases its names when its expiry is recorded. */
  private async freed({ id }: IdentifierRecord, isExpired: boolean): Promise<boolean> {
    if (isExpired) await this.transactions.run((transaction) => this.updater.expireLeases(transaction, [id]));
    return isExpired;
  }
}
