import { Injectable } from '@nestjs/common';
import { v4 as uuid } from 'uuid';
import { MintBudget } from '../access/limits/mint-budget.js';
import type { Principal, RequestContext } from '../access/principal.js';
import { ChangeEngine } from '../changing/change-engine.js';
import type { TargetedChange } from '../changing/change-plan.js';
import { type CurationStep, requirePermitted } from '../changing/curation-command.js';
import { Problem } from '../problem/problem.js';
import type { IdentifierRecord } from '../registry/identifier-record.js';
import { NO_TEXTS, textsAfter } from '../registry/members.js';
import { activeIn, addressIn } from '../registry/naming-authority-snapshot.js';
import type { NewIdentifier } from '../registry/new-identifier.js';
import { targetFrom } from '../registry/target-template.js';
import { requireFuture } from '../registry/timestamp.js';
import { GuidGenerator, compactGuid, isUuid } from '../registry/uuid.js';
import { ConflictRetries, Stale } from '../storage/conflict-retries.js';
import { IdempotentRequests, type Replayable, keyedRequest } from '../storage/idempotency.js';
import { IdentifierReader } from '../storage/identifiers/identifier-reader.js';
import { IdentifierWriter } from '../storage/identifiers/identifier-writer.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import { type Reservation, type ReservationCommand, reservationOf } from './reservation.js';
import {
  type SettledItem,
  type SettlementCommand,
  type SettlementReport,
  deserializeItem,
  fingerprintSource,
  select,
  serializeItem,
} from './settlement.js';

const CHUNK = 250;

/** Number of members per transaction. The number is small, because a transaction delays other changes and later events. */
const SETTLED_TOGETHER = 100;

@Injectable()
export class ReservationService {
  constructor(
    private readonly writer: IdentifierWriter,
    private readonly reader: IdentifierReader,
    private readonly engine: ChangeEngine,
    private readonly retries: ConflictRetries,
    private readonly requests: IdempotentRequests,
    private readonly namingAuthorities: NamingAuthorityCache,
    private readonly guids: GuidGenerator,
    private readonly budget: MintBudget,
  ) {}

  /**
   * Reserves all identifiers or none.
   * @throws Problem SCOPE_MISSING, NAMING_AUTHORITY_FORBIDDEN, UNKNOWN_NAMING_AUTHORITY, SUSPENDED_NAMING_AUTHORITY, RATE_LIMITED,
   * IDEMPOTENCY_KEY_REUSED, REQUEST_IN_FLIGHT, CONFLICT_IN_PROGRESS, INVALID_REQUEST for a lease in the past or as `targetFrom` does
   */
  async reserve(
    { principal, idempotencyKey, onCharge }: RequestContext,
    { namingAuthority, count, leaseUntil }: ReservationCommand,
  ): Promise<Replayable<Reservation>> {
    principal.require('mint', namingAuthority, '/namingAuthority');
    let known = await this.namingAuthorities.currentFor([namingAuthority]);
    const content = { reserve: namingAuthority, count, leaseUntil: leaseUntil.toISOString() };
    const request = keyedRequest(principal, idempotencyKey, content);
    let isRepeated = false;
    return this.retries.run(async () => {
      // An earlier attempt failed because the naming authority has changed or a GUID collided.
      if (isRepeated) known = await this.namingAuthorities.refresh();
      isRepeated = true;
      return this.requests.run(request, async (transaction) => {
        // The state and the lease are checked here, because a replay returns the first result even after later changes.
        const active = activeIn(known, namingAuthority);
        requireFuture(leaseUntil, '/leaseUntil');
        const created = { authority: active, leaseUntil, reservation: uuid(), actor: principal };
        const charge = new Map([[active.prefix, count]]);
        const tooMany = this.budget.check(charge, onCharge);
        if (tooMany !== null) throw tooMany;
        const items = Array.from({ length: count }, () => reservedIdentifier(created, this.guids));
        const records: IdentifierRecord[] = [];
        while (records.length < count) {
          const chunk = items.slice(records.length, records.length + CHUNK);
          for (const row of await this.writer.insert(chunk, transaction)) {
            if (row === null) throw new Stale();
            records.push(row.record);
          }
        }
        const overQuota = this.budget.charge(charge, onCharge);
        if (overQuota !== null) throw overQuota;
        return reservationOf(created.reservation, records);
      });
    });
  }

  /** @throws Problem RESERVATION_NOT_FOUND, also for a hidden reservation. */
  async find(id: string, principal: Principal): Promise<Reservation> {
    return reservationOf(id, await this.membersOf(id, principal));
  }

  /**
   * Activates or releases members of a reservation. Members that cannot be changed are skipped.
   * @throws Problem RESERVATION_NOT_FOUND, SCOPE_MISSING, NAMING_AUTHORITY_FORBIDDEN, IDEMPOTENCY_KEY_REUSED, REQUEST_IN_FLIGHT
   */
  async settle(
    { principal, idempotencyKey }: RequestContext,
    command: SettlementCommand,
  ): Promise<Replayable<SettlementReport>> {
    const { id, pointer, settlement, items } = command;
    const known = principal.viewOf(await this.namingAuthorities.current());
    const request = keyedRequest(principal, idempotencyKey, fingerprintSource(command, known));
    // The rights are checked before a replay, because another key of the same client can cover less.
    const members = await this.membersOf(id, principal);
    principal.require(principal.has('mint') ? 'mint' : 'curate', members[0]?.namingAuthority ?? '', pointer);
    // The members of a reservation never change, so a repeat has the same parts.
    const selected = select(members, items, known);
    const { result, replayed } = await this.requests.inParts(
      request,
      Math.ceil(selected.length / SETTLED_TOGETHER),
      async (transaction, part) => {
        const from = part * SETTLED_TOGETHER;
        const ofPart = selected.slice(from, from + SETTLED_TOGETHER);
        const step = settlement === 'activated' ? { step: settlement, values: {} } : { step: settlement };
        const targets = new Map(ofPart.flatMap(({ member }) => targetOf(member, step)));
        const plan = await this.engine.begin(transaction, [...targets.values()], { known, principal });
        const items = ofPart.map(({ identifier, member }): SettledItem => {
          const target = typeof member === 'bigint' ? targets.get(member) : undefined;
          const result = target === undefined ? member : plan.attempt(target);
          return { identifier, problem: result instanceof Problem ? result : null };
        });
        await this.engine.write(transaction, principal, plan);
        return items.map(serializeItem);
      },
    );
    return { result: { id: id.toLowerCase(), settlement, items: result.flat().map(deserializeItem) }, replayed };
  }

  private async membersOf(id: string, principal: Principal): Promise<IdentifierRecord[]> {
    const members = isUuid(id) ? await this.reader.findByReservation(id) : [];
    if (members.some(({ namingAuthority }) => principal.canSee(namingAuthority))) return members;
    throw new Problem('RESERVATION_NOT_FOUND', 'The reservation does not exist.');
  }
}

function reservedIdentifier(
  created: Pick<NewIdentifier, 'authority' | 'leaseUntil' | 'reservation' | 'actor'>,
  guids: GuidGenerator,
): NewIdentifier {
  const { authority } = created;
  const localName = compactGuid(guids.next(authority.uuidVersion));
  return {
    address: addressIn(authority, localName),
    localName,
    selfKey: null,
    metadata: null,
    ...textsAfter(NO_TEXTS, { target: targetFrom(authority, localName) }),
    alternates: [],
    metadataRecord: null,
    request: null,
    ...created,
  };
}

function targetOf(member: bigint | Problem, step: CurationStep): [bigint, TargetedChange][] {
  if (typeof member !== 'bigint') return [];
  const check = (record: IdentifierRecord): void => {
    requirePermitted(record, step);
  };
  return [[member, { id: member, metadata: null, step, otherId: null, check }]];
}
