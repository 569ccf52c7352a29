import type { Principal } from '../access/principal.js';
import { Problem } from '../problem/problem.js';
import { rowsLost } from '../problem/storage-problems.js';
import { nameConflictProblem } from '../registry/conflict-problem.js';
import { claimOf, gainedBy } from '../registry/alternate-name.js';
import { type IdentifierRecord, nativeText } from '../registry/identifier-record.js';
import { keyCollision } from '../registry/key-collision.js';
import { type Amendment, amended, changeTime, describes, following, isLegal } from '../registry/lifecycle.js';
import type { NamingAuthoritySnapshot } from '../registry/naming-authority-snapshot.js';
import { nameInCanonical } from '../registry/canonical-name.js';
import { opaqueName } from '../registry/opaque-metadata-id.js';
import type { PairedRecords } from '../storage/identifiers/identifier-reader.js';
import type { RecordChange } from '../storage/identifiers/identifier-updater.js';
import type { NameHolder, UniqueName } from '../storage/identifiers/name-holders.js';
import { type CurationStep, decide } from './curation-command.js';
import { withStoredValues } from './values-command.js';

/** A change of an identifier that was found, or whose metadata ID is resolved when the change is planned. */
export interface TargetedChange {
  readonly missDetail?: string;
  /** Null for an identifier that is named by its metadata ID, which earlier lines can change. */
  readonly id: bigint | null;
  readonly metadata: UniqueName | null;
  readonly step: CurationStep;
  /** The replacement of a withdrawal, or the previous version; null if the step names none, or if it is not registered. */
  readonly otherId: bigint | null;
  /** Throws if the record, as earlier changes leave it, may not be changed. */
  readonly check: (record: IdentifierRecord) => void;
}

export interface PlannedChange {
  readonly before: IdentifierRecord;
  readonly after: IdentifierRecord;
  /** Null if the record already has the requested values. */
  readonly amendment: Amendment | null;
  readonly released: readonly string[];
  readonly gained: readonly string[];
  /** The change of the metadata record that was minted with the object; null if there is none, or if the record stays as it is. */
  readonly metadataRecord: PlannedChange | null;
}

/** The identifier that an alternate names, which must not be registered. */
export type ClaimedName = Extract<UniqueName, { readonly kind: 'identifier' }> & { readonly pointer: string };

type Claimant = Pick<IdentifierRecord, 'namingAuthority' | 'guid' | 'localName' | 'alternateIds'>;

export interface PlanContext {
  readonly now: Date;
  readonly known: NamingAuthoritySnapshot;
  readonly principal: Pick<Principal, 'curates' | 'hides' | 'requireNaming'>;
}

/** The holders of unique names, by `holderKey`; null for a free name. */
export type Holders = Map<string, Omit<NameHolder, 'isExpired'> | null>;

/** The key of a unique name in `Holders`. */
export function holderKey({ namingAuthority, kind, name, address }: UniqueName): string {
  return `${kind} ${address?.guid ?? address?.localKey ?? name.key} ${namingAuthority}`;
}

/** The unique names that a step requests, each with its pointer into the request. */
export function namesOf(step: CurationStep, namingAuthority: string): (UniqueName & { readonly pointer: string })[] {
  const metadata = step.step === 'put' ? step.metadata : 'values' in step ? step.values.metadata : null;
  const alternates = 'values' in step ? (step.values.alternates ?? []) : [];
  return [
    ...(metadata ? [{ namingAuthority, kind: 'metadataId' as const, name: metadata, pointer: '/metadataId' }] : []),
    ...alternates.map((name, index) => ({
      ...{ namingAuthority, kind: 'alternateId' as const, name },
      pointer: `/alternateIds/${index}`,
    })),
  ];
}

/** The metadata IDs by which changes name their identifiers. */
export function namedIn(targets: readonly TargetedChange[]): UniqueName[] {
  return targets.flatMap(({ metadata }) => metadata ?? []);
}

/** The IDs of changed identifiers, replacements and previous versions, sorted. @param named the holders of the names in `namedIn`. */
export function idsOf(targets: readonly TargetedChange[], named: Holders): bigint[] {
  const ids = new Set([
    ...targets.flatMap(({ id, otherId }) => [id, otherId].filter((each) => each !== null)),
    ...[...named.values()].flatMap((holder) => holder?.id ?? []),
  ]);
  return [...ids].sort((a, b) => (a < b ? -1 : 1));
}

/** The names that a step claims with alternates that the record does not have yet. */
export function claimsOf(step: CurationStep, record: Claimant): ClaimedName[] {
  const alternates = 'values' in step ? (step.values.alternates ?? []) : [];
  return gainedBy(record, alternates).flatMap(({ name, index }) => {
    const address = claimOf(name, record);
    if (address === null) return [];
    const { namingAuthority } = address;
    return [{ namingAuthority, kind: 'identifier', name, address, pointer: `/alternateIds/${index}` }];
  });
}

/**
 * Decides changes one by one, each based on the records and names that the earlier changes leave. A plan writes nothing, so that a dry run
 * makes the same decisions as the change.
 */
export class ChangePlan {
  /** The planned changes in their order, without those that change nothing. */
  readonly changes: (PlannedChange & RecordChange)[] = [];
  private readonly records: Map<bigint, IdentifierRecord>;
  /** The IDs of metadata records by the IDs of their objects. */
  private readonly pairs: ReadonlyMap<bigint, bigint>;

  /** @param holders the holders of the requested names; `add` updates them. */
  constructor(
    { records, metadataRecords }: PairedRecords,
    readonly holders: Holders,
    private readonly context: PlanContext,
  ) {
    this.records = new Map([...records, ...metadataRecords.values()].map((record) => [record.id, record]));
    this.pairs = new Map([...metadataRecords].map(([id, record]) => [id, record.id]));
  }

  get now(): Date {
    return this.context.now;
  }

  attempt(change: TargetedChange): PlannedChange | Problem {
    try {
      return this.add(change);
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }

  /**
   * Plans a change, completely or not at all.
   * @throws Problem IDENTIFIER_NOT_FOUND, METADATA_ID_TAKEN, ALTERNATE_ID_TAKEN, KEY_COLLISION, or as `check` and `decide`
   */
  add(change: TargetedChange): PlannedChange {
    const { missDetail = 'The identifier is not registered.', metadata, step, otherId, check } = change;
    const id = this.idOf(change);
    if (id === null) throw notRegistered(missDetail, metadata === null ? '/identifier' : '/metadataId');
    const record = this.records.get(id);
    if (record === undefined) throw rowsLost();
    check(record);
    const at = changeTime(record, this.now);
    const other = otherId === null ? null : (this.records.get(otherId) ?? null);
    const amendment = decide(record, step, { ...this.context, at, other });
    if (amendment === null)
      return { before: record, after: record, amendment, released: [], gained: [], metadataRecord: null };
    const requested = namesOf(step, record.namingAuthority);
    for (const name of [...requested, ...claimsOf(step, record)]) this.requireFree(record, name);
    const paired = this.records.get(this.pairs.get(id) ?? id) ?? null;
    const metadataRecord = paired === record ? null : paired;
    const follows = decideMetadataRecord(record, amendment, step, metadataRecord, at);
    const planned = this.plan(record, amendment, requested);
    if (metadataRecord === null || follows === null) return planned;
    return { ...planned, metadataRecord: this.plan(metadataRecord, follows, []) };
  }

  nameOf(change: TargetedChange | Problem): string | undefined {
    const record = change instanceof Problem ? undefined : this.records.get(this.idOf(change) ?? 0n);
    return record && nativeText(record);
  }

  private idOf({ id, metadata }: TargetedChange): bigint | null {
    const holder = metadata === null ? null : (this.holders.get(holderKey(metadata)) ?? null);
    return holder?.isSame === true ? holder.id : id;
  }

  private plan(record: IdentifierRecord, amendment: Amendment, requested: readonly UniqueName[]): PlannedChange {
    const { id } = record;
    const after = {
      ...{ ...record, ...amended(record, amendment) },
      ...{ version: record.version + 1, updatedAt: changeTime(record, this.context.now) },
    };
    const released = this.releasedBy(record, amendment);
    const gained = requested.map(holderKey);
    const { namingAuthority, localName } = record;
    // Without the locks of a change, a dry run can read the record and the holders of its names at different times.
    for (const key of released) if ((this.holders.get(key)?.id ?? id) === id) this.holders.set(key, null);
    for (const key of gained)
      this.holders.set(key, { id, namingAuthority, localName, isSame: true, isLegal: isLegal(after) });
    this.records.set(id, after);
    const change = { record, before: record, after, amendment, released, gained, metadataRecord: null };
    this.changes.push(change);
    return change;
  }

  private requireFree({ id }: IdentifierRecord, name: UniqueName & { readonly pointer: string }): void {
    const holder = this.holders.get(holderKey(name)) ?? null;
    if (holder === null || holder.id === id) return;
    if (!holder.isSame) throw keyCollision(name.pointer);
    throw nameConflictProblem(
      name.kind === 'metadataId' ? 'METADATA_ID_TAKEN' : 'ALTERNATE_ID_TAKEN',
      holder.isLegal === true && !this.context.principal.curates(holder.namingAuthority) ? null : holder,
      name.pointer,
    );
  }

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
 * Divides changes into rounds, each of which one statement can write in any order of rows. A round has no identifier twice, and no name
 * that one of its changes releases and another one gets.
 */
export function roundsOf<T extends PlannedChange>(changes: readonly T[]): T[][] {
  const rounds: T[][] = [];
  let ids = new Set<bigint>();
  let released = new Set<string>();
  for (const change of changes) {
    if (rounds.length === 0 || ids.has(change.before.id) || change.gained.some((key) => released.has(key))) {
      rounds.push([]);
      [ids, released] = [new Set(), new Set()];
    }
    rounds.at(-1)?.push(change);
    ids.add(change.before.id);
    for (const key of change.released) released.add(key);
  }
  return rounds;
}

export function notRegistered(detail: string, pointer: string): Problem {
  return new Problem('IDENTIFIER_NOT_FOUND', detail, { errors: [{ pointer, detail: 'is not registered' }] });
}

/**
 * Decides how the metadata record that was minted with an object changes with it.
 * @returns null if the record stays as it is.
 * @throws Problem WRONG_STATE if there is no record for a requested target.
 */
export function decideMetadataRecord(
  object: IdentifierRecord,
  amendment: Amendment,
  step: CurationStep,
  record: IdentifierRecord | null,
  at: Date,
): Amendment | null {
  const follows = record === null ? null : following(object, amendment, record);
  const target = step.step === 'activated' ? step.metadataTarget : undefined;
  if (target === undefined) return follows;
  if (record === null) throw noRecord(`${nativeText(object)} has no metadata record that was minted with it`);
  if (!describes(record, amended(object, amendment))) {
    const why = `is not ${nativeText(record)}, the metadata record that was minted with it`;
    throw noRecord(`after the activation, the metadata ID of ${nativeText(object)} ${why}`);
  }
  if (record.state === 'withdrawn')
    throw noRecord(`${nativeText(record)}, the metadata record of ${nativeText(object)}, is withdrawn`);
  if (follows === null && target === record.target) return null;
  return { ...(follows ?? { kind: 'changed' }), ...withStoredValues(record, { target }, at) };
}

function noRecord(why: string): Problem {
  const detail = `metadataTarget cannot be set: ${why}`;
  return new Problem('WRONG_STATE', `${detail}.`, { errors: [{ pointer: '/metadataTarget', detail }] });
}
