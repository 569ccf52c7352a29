import { Injectable } from '@nestjs/common';
import { v4 as uuid } from 'uuid';
import type { Asked } from '../access/asked.js';
import type { Caller } from '../access/caller.js';
import { MintBudget } from '../access/mint-budget.js';
import { parseNamingAuthority } from '../identifier/index.js';
import { problemDocument } from '../problem/problem-document.dto.js';
import { Problem, malformed } from '../problem/problem.js';
import type { Actor } from '../record/change-log.js';
import { GuidSource } from '../record/guid-source.js';
import { IdentifierChanges } from '../record/identifier-changes.js';
import { IdentifierReader } from '../record/identifier-reader.js';
import type { IdentifierRecord } from '../record/identifier-record.js';
import { IdentifierWriter } from '../record/identifier-writer.js';
import { activation, release, requireState } from '../record/lifecycle.js';
import { NamingAuthorities } from '../record/naming-authorities.js';
import { Outcomes, type Settled, keyedRequest, requireNoMint } from '../record/outcomes.js';
import { readTime, requireFuture } from '../record/time.js';
import type { Queryable } from '../record/transactions.js';
import { isUuid } from '../record/uuid-text.js';
import type { ItemStatus, ReservationDto, ReservationItemDto, ReservationReportDto } from './reservation-answer.dto.js';
import type { ReservationRequestDto } from './reservation-request.dto.js';
import { reservationOf } from './reservation.js';
import { reservedIdentifier } from './reserved-identifier.js';
import { select, selectionMeaning } from './selection.js';

/** How often a reservation is tried again whose naming authority was changed meanwhile, or whose GUIDs existed. */
const MAX_ATTEMPTS = 5;

/** Rows of one statement: PostgreSQL joins the rows of a longer one in a time that grows with their square. */
const CHUNK = 250;

/** What can be done with the members of a reservation. */
export type Settlement = Exclude<ItemStatus, 'skipped'>;

/** Not all identifiers of a reservation could be inserted, so that none was. */
class Incomplete extends Error {}

/** Reserves many identifiers at once, and settles what becomes of them. */
@Injectable()
export class ReservationService {
  constructor(
    private readonly writer: IdentifierWriter,
    private readonly reader: IdentifierReader,
    private readonly changes: IdentifierChanges,
    private readonly outcomes: Outcomes,
    private readonly authorities: NamingAuthorities,
    private readonly guids: GuidSource,
    private readonly budget: MintBudget,
  ) {}

  /**
   * Reserves all of them or none.
   * @throws Problem UNKNOWN_NAMING_AUTHORITY, SUSPENDED_NAMING_AUTHORITY, RATE_LIMITED, INVALID_REQUEST for a lease that is past
   */
  async reserve({ caller, idempotencyKey }: Asked, wanted: ReservationRequestDto): Promise<Settled<ReservationDto>> {
    const prefix = parseNamingAuthority(wanted.namingAuthority, 'handle');
    if (!prefix.ok) throw malformed(prefix.fault, '/namingAuthority');
    const leaseUntil = readTime(wanted.leaseUntil, '/leaseUntil');
    const { namingAuthority, count } = wanted;
    caller.require('mint', namingAuthority, '/namingAuthority');
    await this.budget.charge(namingAuthority, count, null);
    const meaning = { reserve: namingAuthority, count, leaseUntil: leaseUntil.toISOString() };
    const request = keyedRequest(caller, idempotencyKey, meaning);
    for (let attempt = 1; ; attempt++) {
      const insert = await this.prepare(caller, wanted, leaseUntil);
      try {
        return await this.outcomes.once(request, async (transaction) => {
          await requireNoMint(transaction, request);
          return insert(transaction);
        });
      } catch (error) {
        if (!(error instanceof Incomplete) || attempt === MAX_ATTEMPTS) throw error;
        await this.authorities.refresh('all');
      }
    }
  }

  /** @throws Problem RESERVATION_NOT_FOUND, also for what is hidden from the caller. */
  async find(id: string, caller: Caller): Promise<ReservationDto> {
    return reservationOf(id, await this.membersOf(id, caller));
  }

  /** @throws Problem RESERVATION_NOT_FOUND; what is wrong with single members is in the report. */
  async settle(
    id: string,
    settlement: Settlement,
    { caller, idempotencyKey }: Asked,
    identifiers: readonly string[] | undefined,
  ): Promise<Settled<ReservationReportDto>> {
    const known = await this.authorities.current();
    const meaning = { [settlement]: id.toLowerCase(), identifiers: selectionMeaning(identifiers, known) };
    const request = keyedRequest(caller, idempotencyKey, meaning);
    // Before the outcome is looked for: another key of the same client may cover less than the one that made it.
    const [member] = await this.membersOf(id, caller);
    caller.require(caller.has('mint') ? 'mint' : 'curate', member?.namingAuthority ?? '', '#path/id');
    return this.outcomes.once(request, async (transaction) => {
      await requireNoMint(transaction, request);
      const members = await this.membersOf(id, caller, transaction);
      const selected = select(members, identifiers, known);
      const ids = selected.flatMap(({ member }) => (typeof member === 'bigint' ? [member] : []));
      const skipped = await this.amend(transaction, caller, ids, settlement);
      const items = selected.map(({ identifier, member }): ReservationItemDto => {
        const problem = typeof member === 'bigint' ? skipped.get(member) : member;
        if (problem === undefined) return { identifier, status: settlement };
        const path = `/reservations/${id}/${settlement === 'activated' ? 'activate' : 'release'}`;
        return { identifier, status: 'skipped', problem: problemDocument(problem, path) };
      });
      const counted = (status: ItemStatus): number => items.filter((item) => item.status === status).length;
      const [activated, released, left] = [counted('activated'), counted('released'), counted('skipped')];
      return { id: id.toLowerCase(), activated, released, skipped: left, items };
    });
  }

  /** @returns why members were left alone. */
  private async amend(
    transaction: Queryable,
    actor: Actor,
    ids: readonly bigint[],
    settlement: Settlement,
  ): Promise<Map<bigint, Problem>> {
    const at = new Date();
    const skipped = new Map<bigint, Problem>();
    await this.changes.amend(transaction, actor, ids, (record) => {
      const problem = refusalOf(record, settlement);
      if (problem === null) return settlement === 'activated' ? activation() : release(at);
      skipped.set(record.id, problem);
      return null;
    });
    return skipped;
  }

  /** Asks for the naming authority before a connection is held; a refusal waits, because a replay is none. */
  private async prepare(
    actor: Actor,
    { namingAuthority, count }: ReservationRequestDto,
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

  private async membersOf(id: string, caller: Caller, transaction?: Queryable): Promise<IdentifierRecord[]> {
    const members = isUuid(id) ? await this.reader.findByReservation(id, transaction) : [];
    if (members.some(({ namingAuthority }) => caller.sees(namingAuthority))) return members;
    throw new Problem('RESERVATION_NOT_FOUND', 'No reservation has this id.');
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
