import { Injectable } from '@nestjs/common';
import { v4 as uuid } from 'uuid';
import type { RequestContext } from '../../access/request-context.js';
import type { Principal } from '../../access/principal.js';
import { MintBudget } from '../../access/mint-budget.js';
import { parseNamingAuthority } from '../../identifier/index.js';
import { problemDocument } from '../../problem/problem-document.dto.js';
import { Problem, malformed } from '../../problem/problem.js';
import type { Actor } from '../../registry/change.js';
import { GuidGenerator } from '../../registry/guid-generator.js';
import { IdentifierUpdater } from '../../storage/identifiers/identifier-updater.js';
import { IdentifierReader } from '../../storage/identifiers/identifier-reader.js';
import type { IdentifierRecord } from '../../registry/identifier-record.js';
import { IdentifierWriter } from '../../storage/identifiers/identifier-writer.js';
import { activation, release, requireState } from '../../registry/lifecycle.js';
import { NamingAuthorityCache } from '../../storage/naming-authorities/naming-authority-cache.js';
import { IdempotentRequests, type Replayable, keyedRequest } from '../../storage/idempotency.js';
import { readTime, requireFuture } from '../../registry/timestamp.js';
import type { Queryable } from '../../storage/transactions.js';
import { isUuid } from '../../registry/uuid.js';
import type { ItemStatus, ReservationDto, ReservationItemDto, ReservationReportDto } from './reservation-response.dto.js';
import type { CreateReservationDto } from './reservation-request.dto.js';
import { reservationOf } from './reservation.js';
import { reservedIdentifier } from './reserved-identifier.js';
import { type Selected, select, canonicalMembers } from './selection.js';

/** Attempts of a reservation after a changed naming authority or a GUID collision. */
const MAX_ATTEMPTS = 5;

/** Rows per statement: the time of PostgreSQL's join grows with their square. */
const CHUNK = 250;

/** Members per transaction, because its locks delay other changes and later events. */
const SETTLED_TOGETHER = 100;

/** What can be done with the members of a reservation. */
export type Settlement = Exclude<ItemStatus, 'skipped'>;

/** Some identifiers of a reservation could not be inserted, so none was. */
class Incomplete extends Error {}

@Injectable()
export class ReservationService {
  constructor(
    private readonly writer: IdentifierWriter,
    private readonly reader: IdentifierReader,
    private readonly changes: IdentifierUpdater,
    private readonly outcomes: IdempotentRequests,
    private readonly authorities: NamingAuthorityCache,
    private readonly guids: GuidGenerator,
    private readonly budget: MintBudget,
  ) {}

  /**
   * Reserves all identifiers or none.
   * @throws Problem UNKNOWN_NAMING_AUTHORITY, SUSPENDED_NAMING_AUTHORITY, RATE_LIMITED, INVALID_REQUEST for a lease in
   * the past
   */
  async reserve(
    { principal, idempotencyKey }: RequestContext,
    command: CreateReservationDto,
  ): Promise<Replayable<ReservationDto>> {
    const prefix = parseNamingAuthority(command.namingAuthority, 'handle');
    if (!prefix.ok) throw malformed(prefix.fault, '/namingAuthority');
    const leaseUntil = readTime(command.leaseUntil, '/leaseUntil');
    const { namingAuthority, count } = command;
    principal.require('mint', namingAuthority, '/namingAuthority');
    await this.budget.charge(namingAuthority, count, null);
    const content = { reserve: namingAuthority, count, leaseUntil: leaseUntil.toISOString() };
    const request = keyedRequest(principal, idempotencyKey, content);
    for (let attempt = 1; ; attempt++) {
      const insert = await this.prepare(principal, command, leaseUntil);
      try {
        return await this.outcomes.run(request, insert);
      } catch (error) {
        if (!(error instanceof Incomplete) || attempt === MAX_ATTEMPTS) throw error;
        await this.authorities.refresh('all');
      }
    }
  }

  /** @throws Problem RESERVATION_NOT_FOUND, also for a hidden one. */
  async find(id: string, principal: Principal): Promise<ReservationDto> {
    return reservationOf(id, await this.membersOf(id, principal));
  }

  /** @throws Problem RESERVATION_NOT_FOUND; the response contains the problems of single members. */
  async settle(
    id: string,
    settlement: Settlement,
    { principal, idempotencyKey }: RequestContext,
    identifiers: readonly string[] | undefined,
  ): Promise<Replayable<ReservationReportDto>> {
    const known = principal.viewOf(await this.authorities.current());
    const content = { [settlement]: id.toLowerCase(), identifiers: canonicalMembers(identifiers, known) };
    const request = keyedRequest(principal, idempotencyKey, content);
    // Before the replay: another key of the same client may cover less.
    const members = await this.membersOf(id, principal);
    principal.require(principal.has('mint') ? 'mint' : 'curate', members[0]?.namingAuthority ?? '', '#path/id');
    // The members of a reservation never change, so a repeat has the same parts.
    const selected = select(members, identifiers, known);
    const { result: outcome, replayed } = await this.outcomes.inParts(
      request,
      Math.ceil(selected.length / SETTLED_TOGETHER),
      (transaction, part) => {
        const from = part * SETTLED_TOGETHER;
        return this.settlePart(transaction, principal, selected.slice(from, from + SETTLED_TOGETHER), settlement, id);
      },
    );
    const items = outcome.flat();
    const counted = (status: ItemStatus): number => items.filter((item) => item.status === status).length;
    const [activated, released, skipped] = [counted('activated'), counted('released'), counted('skipped')];
    return { result: { id: id.toLowerCase(), activated, released, skipped, items }, replayed };
  }

  private async settlePart(
    transaction: Queryable,
    actor: Actor,
    selected: readonly Selected[],
    settlement: Settlement,
    id: string,
  ): Promise<ReservationItemDto[]> {
    const ids = selected.flatMap(({ member }) => (typeof member === 'bigint' ? [member] : []));
    const skipped = new Map<bigint, Problem>();
    await this.changes.amend(transaction, actor, ids, (record, at) => {
      const problem = refusalOf(record, settlement);
      if (problem === null) return settlement === 'activated' ? activation() : release(at);
      skipped.set(record.id, problem);
      return null;
    });
    return selected.map(({ identifier, member }): ReservationItemDto => {
      const problem = typeof member === 'bigint' ? skipped.get(member) : member;
      if (problem === undefined) return { identifier, status: settlement };
      const path = `/reservations/${id}/${settlement === 'activated' ? 'activate' : 'release'}`;
      return { identifier, status: 'skipped', problem: problemDocument(problem, path) };
    });
  }

  /** Checks the naming authority before a connection is held; a problem is thrown later, because a replay has none. */
  private async prepare(
    actor: Actor,
    { namingAuthority, count }: CreateReservationDto,
    leaseUntil: Date,
  ): Promise<(transaction: Queryable) => Promise<ReservationDto>> {
    const known = await this.authorities.current();
    const authority = await this.authorities.requireActive(namingAuthority).catch((error: unknown) => {
      if (error instanceof Problem) return error;
      throw error;
    });
    return async (transaction) => {
      if (authority instanceof Problem) throw authority;
      requireFuture(leaseUntil, '/leaseUntil');
      const order = { id: uuid(), actor, authority, leaseUntil };
      const items = Array.from({ length: count }, () => reservedIdentifier(order, known, this.guids));
      const records: IdentifierRecord[] = [];
      while (records.length < count) {
        const chunk = items.slice(records.length, records.length + CHUNK);
        for (const row of await this.writer.insert(this.writer.prepare(chunk), transaction)) {
          if (row === null) throw new Incomplete('an identifier could not be reserved');
          records.push(row.record);
        }
      }
      return reservationOf(order.id, records);
    };
  }

  private async membersOf(id: string, principal: Principal): Promise<IdentifierRecord[]> {
    const members = isUuid(id) ? await this.reader.findByReservation(id) : [];
    if (members.some(({ namingAuthority }) => principal.canSee(namingAuthority))) return members;
    throw new Problem('RESERVATION_NOT_FOUND', 'The reservation does not exist.');
  }
}

function refusalOf(record: IdentifierRecord, settlement: Settlement): Problem | null {
  try {
    requireState(record, settlement);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
