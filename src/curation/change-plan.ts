import type { Principal } from '../access/principal.js';
import { rowsLost } from '../problem/database-errors.js';
import { Problem } from '../problem/problem.js';
import { nameConflictProblem } from '../registry/conflict-problem.js';
import { type IdentifierRecord, nativeText } from '../registry/identifier-record.js';
import { keyCollision } from '../registry/key-collision.js';
import { type Amendment, amended, changeTime } from '../registry/lifecycle.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { nameInCanonical } from '../registry/canonical-name.js';
import { opaqueName } from '../registry/opaque-metadata-id.js';
import type { PairedRecords } from '../storage/identifiers/identifier-reader.js';
import type { NameHolder, UniqueName } from '../storage/identifiers/name-holders.js';
import { inWithdrawal } from './change-line.js';
import { type Claimant, type ClaimedName, claimsBy } from './claims.js';
import { type CurationStep, decide, requirePermitted } from './curation-command.js';
import { decideMetadataRecord } from './metadata-record.js';

/** A line whose identifier was found, or has a name that is searched when its turn comes. */
export interface TargetedChange {
  readonly line: number;
  /** The requested identifier in its own form. */
  readonly text: string;
  /** Null for an identifier that is named by its metadata ID, which earlier lines can change. */
  readonly id: bigint | null;
  readonly metadata: UniqueName | null;
  readonly step: CurationStep;
  readonly ifVersion: number | undefined;
  /** The replacement of a withdrawal; null where it is not registered. */
  readonly replacementId: bigint | null;
}

/** A change of one record, after the changes of earlier lines. */
export interface PlannedChange {
  readonly before: IdentifierRecord;
  readonly after: IdentifierRecord;
  /** Null where the record has the requested values already. */
  readonly amendment: Amendment | null;
  /** The unique names that the record loses and gets. */
  readonly released: readonly string[];
  readonly gained: readonly string[];
  /** The change of the metadata record that was minted with the object; null where it stays as it is. */
  readonly metadataRecord: PlannedChange | null;
}

export interface PlanContext {
  readonly now: Date;
  /** The naming authorities that the principal can see. */
  readonly known: NamingAuthoritySnapshot;
  readonly principal: Pick<Principal, 'canSee' | 'requireNaming'>;
}

/** Who has a unique name; null where it is free. */
export type Holders = Map<string, Omit<NameHolder, 'isExpired'> | null>;

/** The key of a unique name in `Holders`. */
export function holderKey({ namingAuthority, kind, name, address }: UniqueName): string {
  return `${kind} ${address?.guid ?? address?.localKey ?? name.key} ${namingAuthority}`;
}

/** The unique names that a step requests, each with where a line has it. */
export function namesOf(step: CurationStep, namingAuthority: string): (UniqueName & { readonly pointer: string })[] {
  if (!('values' in step)) return [];
  const { metadata, alternates = [] } = step.values;
  return [
    ...(metadata ? [{ namingAuthority, kind: 'metadataId' as const, name: metadata, pointer: '/metadataId' }] : []),
    ...alternates.map((name, index) => ({
      ...{ namingAuthority, kind: 'alternateId' as const, name },
      pointer: `/alternateIds/${index}`,
    })),
  ];
}

/** The metadata IDs that name identifiers. */
export function namedIn(targets: readonly TargetedChange[]): UniqueName[] {
  return targets.flatMap(({ metadata }) => metadata ?? []);
}

/** The ids of changes and of replacements, in one order for every chunk. @param named who has the names of `namedIn`. */
export function idsOf(targets: readonly TargetedChange[], named: Holders): bigint[] {
  const ids = new Set([
    ...targets.flatMap(({ id, replacementId }) => [id, replacementId].filter((each) => each !== null)),
    ...[...named.values()].flatMap((holder) => holder?.id ?? []),
  ]);
  return [...ids].sort((a, b) => (a < b ? -1 : 1));
}

/** The names that a step of a record claims by new alternates. */
export function claimsOf(step: CurationStep, record: Claimant): ClaimedName[] {
  return 'values' in step ? claimsBy(record, step.values.alternates ?? []) : [];
}

/**
 * Decides about changes one by one, each on the records and names as the earlier ones leave them. It writes nothing, so that
 * a dry run decides as the change itself does.
 */
export class ChangePlan {
  private readonly records: Map<bigint, IdentifierRecord>;
  /** The ids of metadata records by those of their objects. */
  private readonly pairs: ReadonlyMap<bigint, bigint>;

  /**
   * @param found the records of the changes and of replacements, with metadata records.
   * @param holders who has the names that the changes request; changed by `add`.
   */
  constructor(
    { records, metadataRecords }: PairedRecords,
    private readonly holders: Holders,
    private readonly context: PlanContext,
  ) {
    this.records = new Map([...records, ...metadataRecords.values()].map((record) => [record.id, record]));
    this.pairs = new Map([...metadataRecords].map(([id, record]) => [id, record.id]));
  }

  /**
   * @throws Problem IDENTIFIER_NOT_FOUND, WRONG_STATE, PRECONDITION_FAILED, METADATA_ID_TAKEN, ALTERNATE_ID_TAKEN, KEY_COLLISION, or as `decide`
   * does; nothing of the change is planned then.
   */
  add({ text, id: found, metadata, step, ifVersion, replacementId }: TargetedChange): PlannedChange {
    const holder = metadata === null ? null : (this.holders.get(holderKey(metadata)) ?? null);
    const id = holder?.isSame === true ? holder.id : found;
    if (id === null) throw notRegistered(text, metadata === null ? '/identifier' : '/metadataId');
    const record = this.records.get(id);
    if (record === undefined) throw rowsLost();
    if (step.step === 'put' || step.step === 'removed' || step.step === 'deleted')
      throw new TypeError('values of a Handle are not changed in streams');
    requirePermitted(record, step);
    if (ifVersion !== undefined && ifVersion !== record.version) throw otherVersion(record, ifVersion);
    const amendment = this.decide(record, step, replacementId);
    if (amendment === null)
      return { before: record, after: record, amendment, released: [], gained: [], metadataRecord: null };
    const requested = namesOf(step, record.namingAuthority);
    for (const name of [...requested, ...claimsOf(step, record)]) this.requireFree(record, name);
    const paired = this.records.get(this.pairs.get(id) ?? id) ?? null;
    const metadataRecord = paired === record ? null : paired;
    const at = changeTime(record, this.context.now);
    const follows = decideMetadataRecord(record, amendment, step, metadataRecord, at);
    return {
      ...this.plan(record, amendment, requested),
      metadataRecord: metadataRecord === null || follows === null ? null : this.plan(metadataRecord, follows, []),
    };
  }

  /** Notes how the records and names are after a change. */
  private plan(record: IdentifierRecord, amendment: Amendment, requested: readonly UniqueName[]): PlannedChange {
    const { id } = record;
    const after = {
      ...{ ...record, ...amended(record, amendment) },
      ...{ version: record.version + 1, updatedAt: changeTime(record, this.context.now) },
    };
    const released = this.releasedBy(record, amendment);
    const gained = requested.map(holderKey);
    const { namingAuthority, localName } = record;
    // In a dry run, an earlier chunk may have given the name to another identifier.
    for (const key of released) if ((this.holders.get(key)?.id ?? id) === id) this.holders.set(key, null);
    for (const key of gained) this.holders.set(key, { id, namingAuthority, localName, isSame: true });
    this.records.set(id, after);
    return { before: record, after, amendment, released, gained, metadataRecord: null };
  }

  private decide(record: IdentifierRecord, step: CurationStep, replacementId: bigint | null): Amendment | null {
    const { now, known, principal } = this.context;
    const other = replacementId === null ? null : (this.records.get(replacementId) ?? null);
    try {
      return decide(record, step, { at: changeTime(record, now), known, other, principal });
    } catch (error) {
      throw error instanceof Problem && step.step === 'withdrawn' ? inWithdrawal(error) : error;
    }
  }

  private requireFree({ id }: IdentifierRecord, name: UniqueName & { readonly pointer: string }): void {
    const holder = this.holders.get(holderKey(name)) ?? null;
    if (holder === null || holder.id === id) return;
    if (!holder.isSame) throw keyCollision(name.pointer);
    throw nameConflictProblem(
      name.kind === 'metadataId' ? 'METADATA_ID_TAKEN' : 'ALTERNATE_ID_TAKEN',
      holder,
      name.pointer,
    );
  }

  /** The names of a record that an amendment replaces. */
  private releasedBy({ namingAuthority, metadataId, alternateIds }: IdentifierRecord, amendment: Amendment): string[] {
    const texts = [
      ...(amendment.metadata === undefined || metadataId === null ? [] : [['metadataId', metadataId] as const]),
      ...(amendment.alternates === undefined ? [] : alternateIds.map((text) => ['alternateId', text] as const)),
    ];
    const { known } = this.context;
    return texts.flatMap(([kind, text]) => {
      if (kind === 'metadataId' && known.metadataIdScheme(namingAuthority) === 'any')
        return [holderKey({ namingAuthority, kind, name: opaqueName(text) })];
      const name = nameInCanonical(text);
      return name === null ? [] : [holderKey({ namingAuthority, kind, name: known.canonicalName(name) })];
    });
  }
}

/**
 * Divides changes into rounds that one statement each can write in any order of rows: a round has no identifier twice, and
 * no name that one of its changes releases and another one gets.
 */
export function roundsOf<T extends PlannedChange>(changes: readonly T[]): T[][] {
  const rounds: T[][] = [];
  let ids = new Set<bigint>();
  let released = new Set<string>();
  for (const change of changes) {
    const current = rounds.at(-1);
    if (current === undefined || ids.has(change.before.id) || change.gained.some((key) => released.has(key))) {
      rounds.push([change]);
      ids = new Set([change.before.id]);
      released = new Set(change.released);
      continue;
    }
    current.push(change);
    ids.add(change.before.id);
    for (const key of change.released) released.add(key);
  }
  return rounds;
}

export function notRegistered(text: string, pointer: string): Problem {
  const detail = `${text} is well formed but not registered.`;
  return new Problem('IDENTIFIER_NOT_FOUND', detail, { errors: [{ pointer, detail: 'is not registered' }] });
}

function otherVersion(record: IdentifierRecord, ifVersion: number): Problem {
  const detail = `${nativeText(record)} has version ${record.version}, not ${ifVersion}; read it again and repeat the change with its new version`;
  return new Problem('PRECONDITION_FAILED', `${detail}.`, { errors: [{ pointer: '/ifVersion', detail }] });
}
