import { Inject, Injectable } from '@nestjs/common';
import type { Principal, RequestContext, Scope } from '../access/principal.js';
import type { RepairCode, Resolver } from '@mintmark/identifier';
import { DEFAULT_HTTP_RESOLVER } from '../registry/setting-tokens.js';
import {
  type IdentifierRecord,
  type IdentifierSnapshot,
  deserializeRecord,
  nativeText,
  serializeRecord,
  snapshotOf,
} from '../registry/identifier-record.js';
import { isDeleted } from '../registry/lifecycle.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { resolveIdentifier } from '../registry/resolve-identifier.js';
import { ConflictRetries } from '../storage/conflict-retries.js';
import { IdempotentRequests, type Replayable, keyedRequest } from '../storage/idempotency.js';
import { IdentifierReader } from '../storage/identifiers/identifier-reader.js';
import { NameHolders } from '../storage/identifiers/name-holders.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import { ChangeEngine } from './change-engine.js';
import {
  type CurationCommand,
  type CurationStep,
  fingerprintSource,
  isOfValues,
  namesIn,
  otherAddressIn,
  parseCommand,
  requirePermitted,
} from './curation-command.js';

export interface CurationContext extends RequestContext {
  /** The identifier in any form. */
  readonly identifier: string;
  readonly pointer: string;
  /** What `requireCurrent` requires, as the request states it. A repeat with another precondition is another request. */
  readonly precondition?: unknown;
  /** Throws if the change is not based on the identifier as the principal sees it. */
  readonly requireCurrent?: (snapshot: IdentifierSnapshot) => void;
}

export interface CurationResult extends Replayable<IdentifierSnapshot> {
  readonly repairs: readonly RepairCode[];
}

/** The scope that a step requires. Writing to a deleted Handle registers it again. */
function scopeOf(step: CurationStep, found: IdentifierRecord, principal: Principal): Scope {
  if (step.step === 'activated' && principal.has('mint')) return 'mint';
  return step.step === 'put' && isDeleted(found) ? 'register' : 'curate';
}

@Injectable()
export class CurationService {
  constructor(
    private readonly engine: ChangeEngine,
    private readonly retries: ConflictRetries,
    private readonly reader: IdentifierReader,
    private readonly holders: NameHolders,
    private readonly requests: IdempotentRequests,
    private readonly namingAuthorities: NamingAuthorityCache,
    @Inject(DEFAULT_HTTP_RESOLVER) private readonly resolver: Resolver,
  ) {}

  /**
   * Changes, activates, withdraws, reinstates or deletes an identifier, or writes its Handle values.
   * @returns the identifier after the change, as the principal sees it.
   * @throws HandleFault as `decideValues`
   * @throws Problem as `parseCommand` and `ChangePlan.add`, SCOPE_MISSING, NAMING_AUTHORITY_FORBIDDEN, IDEMPOTENCY_KEY_REUSED,
   * REQUEST_IN_FLIGHT, CONFLICT_IN_PROGRESS
   */
  async run(context: CurationContext, command: CurationCommand): Promise<CurationResult> {
    const { principal, identifier, pointer, idempotencyKey, precondition, requireCurrent } = context;
    const names = namesIn(command);
    const all = await this.namingAuthorities.currentForTexts(names.length === 0 ? [] : [identifier, ...names]);
    const known = principal.viewOf(all);
    const assumed = known.metadataIdSchemeOf(identifier);
    const parsed = parseCommand(command, known, assumed);

    const { found, repairs, scheme } = await this.namingAuthorities.lookUp(async (latest) => {
      const view = principal.viewOf(latest);
      const { record, ...read } = await resolveIdentifier(identifier, view, this.reader, pointer);
      return { found: record, repairs: read.repairs, scheme: view.metadataIdScheme(record.namingAuthority) };
    }, all);
    // Another process might have created the naming authority after the first read.
    const step = scheme === assumed ? parsed : parseCommand(command, known, scheme);
    principal.require(scopeOf(step, found, principal), found.namingAuthority, pointer);

    const request = keyedRequest(principal, idempotencyKey, fingerprintSource(nativeText(found), step, precondition));
    const otherAddress = otherAddressIn(step);
    const check = (record: IdentifierRecord): void => {
      // The record might have been deleted since it was read.
      if (isOfValues(step)) principal.require(scopeOf(step, record, principal), record.namingAuthority, pointer);
      requirePermitted(record, step);
      requireCurrent?.(snapshotOf(principal.redact(record), this.resolver));
    };
    const { result, replayed } = await this.retries.run(async () => {
      const other = otherAddress === null ? null : await this.reader.find(otherAddress);
      const target = { id: found.id, metadata: null, step, otherId: other?.id ?? null, check };
      return this.requests.run(request, async (transaction) => {
        const plan = await this.engine.begin(transaction, [target], { known, principal });
        const { after } = plan.add(target);
        await this.engine.write(transaction, principal, plan);
        const snapshot = snapshotOf(principal.redact(after), this.resolver);
        return serializeRecord(snapshot, snapshot.uris);
      });
    });
    const snapshot = deserializeRecord(result);
    const hidden = principal.hides(found) ? snapshotOf(found, this.resolver) : null;
    const current = replayed ? (hidden ?? (await this.asOfNow(snapshot, all))) : snapshot;
    // The first request might have used another API key of the same client, with access to more records.
    return { result: principal.redact(current), replayed, repairs };
  }

  /** Removes the names of identifiers that were withdrawn for legal reasons since the snapshot was stored. */
  private async asOfNow(snapshot: IdentifierSnapshot, known: NamingAuthoritySnapshot): Promise<IdentifierSnapshot> {
    const { describes, newerVersions } = snapshot;
    const legal = await this.holders.legalAmong([...describes, ...newerVersions].map((name) => ({ name, known })));
    const isShown = (name: string): boolean => !legal.has(name);
    return { ...snapshot, describes: describes.filter(isShown), newerVersions: newerVersions.filter(isShown) };
  }
}
