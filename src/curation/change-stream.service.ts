import { Injectable } from '@nestjs/common';
import type { Principal } from '../access/principal.js';
import type { RequestContext } from '../access/request-context.js';
import type { RepairCode } from '../identifier/index.js';
import { conflictInProgress, isUniqueViolation } from '../problem/database-errors.js';
import { Problem } from '../problem/problem.js';
import { type StoredProblem, deserializeProblem, serializeProblem } from '../problem/stored-problem.js';
import { shownConflict } from '../registry/conflict-problem.js';
import type { Digest } from '../registry/digest.js';
import { type IdentifierRecord, nativeText } from '../registry/identifier-record.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { Attempts } from '../storage/attempts.js';
import { IdempotentRequests } from '../storage/idempotency.js';
import { keyReused, keyedRequest } from '../storage/idempotency-key.js';
import { IdentifierReader } from '../storage/identifiers/identifier-reader.js';
import { IdentifierUpdater } from '../storage/identifiers/identifier-updater.js';
import { NameHolders, type UniqueName } from '../storage/identifiers/name-holders.js';
import { lockNames } from '../storage/identifiers/name-locks.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import { type Queryable, Transactions } from '../storage/transactions.js';
import { type ChangedMembers, changedMembers } from './changed-members.js';
import { type ReadyChange, type ReceivedChange, readChange, textsIn } from './change-line.js';
import {
  ChangePlan,
  type Holders,
  type PlannedChange,
  type TargetedChange,
  claimsOf,
  holderKey,
  idsOf,
  namedIn,
  namesOf,
  notRegistered,
  roundsOf,
} from './change-plan.js';
import type { ClaimedName } from './claims.js';
import type { PreviewedNames } from './previewed-names.js';

/** The fingerprint source of every stream: its lines have fingerprints of their own. */
const STREAM = { changes: 'stream' };

/** The lines of one transaction. */
export interface ReceivedChunk {
  /** The number of the chunk, from 0, which depends on the numbers of its lines only. */
  readonly part: number;
  readonly lines: readonly ReceivedChange[];
}

/** Lines that are ready to be changed together. */
export interface ReadyChunk {
  readonly part: number;
  readonly lines: readonly ReadyLine[];
  /** The naming authorities that the principal can see. */
  readonly known: NamingAuthoritySnapshot;
}

type ReadyLine = Omit<ReadyChange, 'change'> & {
  readonly change: TargetedChange | Problem;
  /** How the text of the line differs from the name of the identifier. */
  readonly repairs: readonly RepairCode[];
  /** Whether the principal may not change the identifier, or see it. */
  readonly isForbidden: boolean;
};

const FORBIDDEN: ReadonlySet<string> = new Set(['SCOPE_MISSING', 'NAMING_AUTHORITY_FORBIDDEN']);

type NamedLine = Pick<ReadyLine, 'line' | 'clientRef' | 'repairs'>;

/** "same": the identifier has the requested values already. */
export interface ChangeResult {
  readonly outcome: 'changed' | 'same';
  readonly id: bigint;
  /** `NA/local`. */
  readonly identifier: string;
  /** The version after the change. */
  readonly version: number;
  /** The values before the change, of the members that it has changed. */
  readonly old?: ChangedMembers;
}

export type ChangedLine = NamedLine & { readonly result: ChangeResult | Problem };
export type PreviewedLine = NamedLine & { readonly result: PlannedChange | Problem };

/** The stored result of a line. */
interface StoredLine {
  readonly line: number;
  readonly hash: Digest;
  readonly problem?: StoredProblem;
  readonly changed?: Omit<ChangeResult, 'id'> & { readonly id: string };
}

/** Names must be read again: reservations whose leases have ended still have some, or another identifier has got one. */
class StaleHolders extends Error {
  /** @param expired reservations whose expiry must be recorded first. */
  constructor(readonly expired: readonly bigint[]) {
    super('the names of a chunk must be read again');
  }
}

/** Changes many identifiers: each chunk of lines is one transaction, and with an idempotency key one stored result. */
@Injectable()
export class ChangeStreamService {
  constructor(
    private readonly reader: IdentifierReader,
    private readonly holders: NameHolders,
    private readonly updater: IdentifierUpdater,
    private readonly requests: IdempotentRequests,
    private readonly transactions: Transactions,
    private readonly namingAuthorities: NamingAuthorityCache,
  ) {}

  /** Parses and authorises a chunk, and finds its identifiers. It writes nothing, so it can run while another chunk is changed. */
  async prepare({ part, lines }: ReceivedChunk, principal: Principal): Promise<ReadyChunk> {
    const known = principal.viewOf(await this.namingAuthorities.currentForTexts(lines.flatMap(textsIn)));
    const read = lines.map((line) => readChange(line, known, principal));
    const addresses = read.map(({ change }) => (change instanceof Problem ? null : change.address));
    const replacements = read.map(({ change }) =>
      change instanceof Problem || change.step.step !== 'withdrawn' ? null : (change.step.replacement?.address ?? null),
    );
    const exact = read.map(({ change }) => (change instanceof Problem ? null : change.exact));
    const wanted = [...addresses, ...replacements, ...exact];
    const found = await this.holders.findIds(wanted.filter((address) => address !== null));
    let next = 0;
    const ids = wanted.map((address) => (address === null ? null : (found[next++] ?? null)));
    const ready = read.map(({ change, ...line }, index): ReadyLine => {
      if (change instanceof Problem) return { ...line, change, repairs: [], isForbidden: FORBIDDEN.has(change.code) };
      const exactId = ids[2 * read.length + index] ?? null;
      const id = exactId ?? ids[index] ?? null;
      const { text, pointer, metadata, step, ifVersion } = change;
      const replacementId = ids[read.length + index] ?? null;
      const targeted = { line: line.line, text, id, metadata, step, ifVersion, replacementId };
      const refusal = id === null && metadata === null ? notRegistered(text, pointer) : null;
      // A name without an address is of a naming authority that the principal cannot see, or that does not exist.
      const isForbidden = change.address === null && metadata === null;
      return { ...line, repairs: exactId === null ? change.repairs : [], change: refusal ?? targeted, isForbidden };
    });
    return { part, lines: ready, known };
  }

  /**
   * Changes the identifiers of a chunk, committed on return. A line that was changed before with the same idempotency key
   * has its first result.
   * @returns the results in the order of the lines.
   * @throws Problem IDEMPOTENCY_KEY_REUSED where another kind of request used the key, REQUEST_IN_FLIGHT,
   * CONFLICT_IN_PROGRESS
   */
  async change(chunk: ReadyChunk, { principal, idempotencyKey }: RequestContext): Promise<ChangedLine[]> {
    const request = keyedRequest(principal, idempotencyKey, STREAM);
    const attempts = new Attempts();
    for (;;) {
      try {
        const { result: stored, replayed } = await this.requests.inStream(request, chunk.part, (transaction) =>
          this.write(transaction, chunk, principal),
        );
        const byLine = new Map(stored.map((each) => [each.line, each]));
        return chunk.lines.map((each) => ({
          ...namedLine(each),
          result: shownConflict(resultOf(each, byLine.get(each.line), replayed), chunk.known),
        }));
      } catch (error) {
        if (!(error instanceof StaleHolders) && !isUniqueViolation(error)) throw error;
        if (!(await attempts.again())) throw conflictInProgress();
        if (error instanceof StaleHolders && error.expired.length > 0)
          await this.transactions.run((transaction) => this.updater.expireLeases(transaction, error.expired));
      }
    }
  }

  /**
   * Decides about the changes of a chunk without locks and writes.
   * @param names the names that earlier chunks of the file would release and get.
   */
  async preview(chunk: ReadyChunk, names: PreviewedNames, principal: Principal): Promise<PreviewedLine[]> {
    const targets = targetsOf(chunk);
    const named = await this.holdersOf(namedIn(targets));
    names.overlay(named);
    const ids = idsOf(targets, named);
    const found = names.named(await this.reader.findPaired(ids, await this.reader.findPairs(ids)));
    const holders = await this.holdersFor(targets, found.records);
    names.overlay(holders);
    const plan = new ChangePlan(found, holders, { now: new Date(), known: chunk.known, principal });
    return chunk.lines.map(({ change, ...line }) => {
      const result = change instanceof Problem ? change : attempted(plan, change);
      if (!(result instanceof Problem)) names.note(result, holders);
      return { ...namedLine(line), result };
    });
  }

  /** The identifiers of results as they are now, in their order. */
  async find(ids: readonly bigint[], principal: Principal): Promise<IdentifierRecord[]> {
    return (await this.reader.findByIds(ids)).map((record) => principal.redact(record));
  }

  private async write(transaction: Queryable, chunk: ReadyChunk, principal: Principal): Promise<StoredLine[]> {
    const targets = targetsOf(chunk);
    const named = await this.holdersOf(namedIn(targets), transaction);
    const locked = await this.updater.lock(transaction, idsOf(targets, named));
    const { now } = locked;
    const holders = await this.holdersFor(targets, locked.records, transaction);
    const plan = new ChangePlan(locked, holders, { now, known: chunk.known, principal });
    const planned: PlannedChange[] = [];
    const results = chunk.lines.map(({ line, fingerprint: hash, change }): StoredLine => {
      const result = change instanceof Problem ? change : attempted(plan, change);
      if (result instanceof Problem) return { line, hash, problem: serializeProblem(result) };
      planned.push(result, ...(result.metadataRecord === null ? [] : [result.metadataRecord]));
      const { before, after, amendment } = result;
      const changed = {
        ...{ id: after.id.toString(), identifier: nativeText(after), version: after.version },
        ...(amendment === null
          ? { outcome: 'same' as const }
          : { outcome: 'changed' as const, old: changedMembers(before, after).old }),
      };
      return { line, hash, changed };
    });
    const changes = planned.flatMap(({ before: record, amendment, ...rest }) =>
      amendment === null ? [] : [{ ...rest, before: record, record, amendment }],
    );
    for (const round of roundsOf(changes)) await this.updater.write(transaction, principal, now, round);
    return results;
  }

  /**
   * Who has the names that changes request.
   * @param transaction a transaction that writes, where names of expired reservations must be released first.
   * @throws StaleHolders
   */
  private async holdersFor(
    targets: readonly TargetedChange[],
    records: readonly IdentifierRecord[],
    transaction?: Queryable,
  ): Promise<Holders> {
    const byId = new Map(records.map((record) => [record.id, record]));
    const claims: ClaimedName[] = [];
    const requested = targets.flatMap(({ id, metadata, step }): UniqueName[] => {
      const record = byId.get(id ?? 0n) ?? {
        namingAuthority: metadata?.namingAuthority ?? '',
        guid: null,
        localName: '',
      };
      // A line before it may remove an alternate that the record has.
      const ofStep = claimsOf(step, { ...record, alternateIds: [] });
      claims.push(...ofStep);
      return [...namesOf(step, record.namingAuthority), ...ofStep, ...(metadata === null ? [] : [metadata])];
    });
    const names = new Map(requested.map((name) => [holderKey(name), name]));
    if (transaction !== undefined)
      await lockNames(
        transaction,
        claims.map(({ address }) => ({ address, isClaim: true })),
      );
    const holders = await this.holdersOf([...names.values()], transaction);
    const subjects = namedIn(targets).flatMap((name) => holders.get(holderKey(name))?.id ?? []);
    if (transaction !== undefined && subjects.some((id) => !byId.has(id))) throw new StaleHolders([]);
    return holders;
  }

  /** As `holdersFor`, of these names. */
  private async holdersOf(names: readonly UniqueName[], transaction?: Queryable): Promise<Holders> {
    const found = await this.holders.findHolders(names, transaction);
    const expired = found.flatMap((holder) => (holder?.isExpired === true ? [holder.id] : []));
    if (expired.length > 0 && transaction !== undefined) throw new StaleHolders(expired);
    return new Map(
      names.map((name, index) => {
        const holder = found[index] ?? null;
        return [holderKey(name), holder?.isExpired === true ? null : holder];
      }),
    );
  }
}

function namedLine({ line, clientRef, repairs }: NamedLine): NamedLine {
  return { line, clientRef, repairs };
}

function targetsOf({ lines }: ReadyChunk): TargetedChange[] {
  return lines.flatMap(({ change }) => (change instanceof Problem ? [] : [change]));
}

function attempted(plan: ChangePlan, change: TargetedChange): PlannedChange | Problem {
  try {
    return plan.add(change);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** The result of a line. A repeat by another key of the same client may be permitted less, so that refusal comes first. */
function resultOf(
  { change, fingerprint, isForbidden }: ReadyLine,
  stored: StoredLine | undefined,
  replayed: boolean,
): ChangeResult | Problem {
  if (replayed && isForbidden && change instanceof Problem) return change;
  if (stored?.hash !== fingerprint) return keyReused();
  if (stored.problem !== undefined) return deserializeProblem(stored.problem);
  if (stored.changed === undefined) throw new TypeError('a stored line has a result or a problem');
  return { ...stored.changed, id: BigInt(stored.changed.id) };
}
