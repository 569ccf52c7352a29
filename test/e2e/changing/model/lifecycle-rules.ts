import { type Entry, type Registry, identifierOf, ownName } from './registry.js';

/** The content of a PATCH; an absent member keeps its value. */
export interface Change {
  readonly metadataId?: string | null;
  readonly target?: string | null;
  readonly alternateIds?: readonly string[];
}

/** @returns the codes that may reject a change; empty when it succeeds. */
export function rejectionsOfChange(
  registry: Registry,
  entry: Entry,
  { metadataId, target = entry.target, alternateIds: alternates }: Change,
): string[] {
  const alternateIds = alternates ?? [];
  const others = registry.entries.filter((other) => other !== entry && other.namingAuthority === entry.namingAuthority);
  const isTaken = metadataId != null && others.some((other) => other.metadataId === metadataId);
  const isShared = others.some((other) => other.alternateIds.some((alternate) => alternateIds.includes(alternate)));
  const isName = registry.entries.some((other) => other !== entry && alternateIds.includes(ownName(other)));
  return [
    // The names of a withdrawn identifier can be changed.
    ...(entry.state === 'withdrawn' && target !== entry.target ? ['WRONG_STATE'] : []),
    ...(metadataId === ownName(entry) ? ['METADATA_ID_IS_IDENTIFIER'] : []),
    ...(isTaken ? ['METADATA_ID_TAKEN'] : []),
    ...(isShared || isName ? ['ALTERNATE_ID_TAKEN'] : []),
  ];
}

/** A change without an effect creates no version. */
export function change(entry: Entry, requested: Change): void {
  const before = JSON.stringify([entry.metadataId, entry.target, entry.alternateIds]);
  Object.assign(entry, requested);
  if (JSON.stringify([entry.metadataId, entry.target, entry.alternateIds]) !== before) entry.kinds.push('changed');
}

/** The record that was minted with a reserved object, is its metadata record, and is still reserved. It follows its object in order. */
function reservedRecord(registry: Registry, entry: Entry): Entry | undefined {
  const next = registry.entries[registry.entries.indexOf(entry) + 1];
  if (next?.isRecord !== true || entry.state !== 'reserved' || next.state !== 'reserved') return undefined;
  return entry.metadataId === ownName(next) ? next : undefined;
}

/** The metadata record that was minted with it is activated too. */
export function activate(registry: Registry, entry: Entry): void {
  for (const each of [entry, reservedRecord(registry, entry)]) {
    if (each === undefined) continue;
    each.state = 'active';
    each.kinds.push('activated');
  }
}

/**
 * @returns the codes that may reject a withdrawal.
 * @param replacedBy the canonical name of the replacement.
 */
export function rejectionsOfWithdrawal(registry: Registry, entry: Entry, replacedBy: string | null): string[] {
  const isOurs =
    replacedBy !== null && registry.names.authorities.some((prefix) => replacedBy.startsWith(`hdl:${prefix}/`));
  const replacement = registry.entries[registry.find(replacedBy ?? '')];
  const isActive = replacement?.state === 'active' && replacement !== entry;
  return [
    ...(entry.state === 'withdrawn' ? ['WRONG_STATE'] : []),
    ...(isOurs && !isActive ? ['REPLACEMENT_NOT_FOUND'] : []),
  ];
}

/** Withdraws an identifier, and with a reserved one the metadata record that was minted with it. */
export function withdraw(registry: Registry, entry: Entry, reason: string, replacedBy: string | null): void {
  const record = reservedRecord(registry, entry);
  if (record !== undefined) end(record, reason, null);
  end(entry, reason, replacedBy);
}

/** A reserved identifier frees its names; an active one keeps them. */
function end(entry: Entry, reason: string, replacedBy: string | null): void {
  if (entry.state === 'reserved') Object.assign(entry, { metadataId: null, alternateIds: [] });
  entry.state = 'withdrawn';
  // A tombstone has the native text of a Handle.
  entry.tombstone = { reasonCode: 'other', reason, replacedBy };
  entry.kinds.push('withdrawn');
}

export function reinstate(entry: Entry): void {
  entry.state = 'active';
  entry.tombstone = null;
  entry.kinds.push('reinstated');
}

/** The result of a look-up by order of preference: identifier, metadata ID, alternate. */
export function matches(registry: Registry, canonical: string): { matchedBy: string; identifier: string }[] {
  const found = (matchedBy: string, holds: (entry: Entry) => boolean) =>
    registry.entries.filter(holds).map((entry) => ({ matchedBy, identifier: identifierOf(entry) }));
  return [
    ...found('identifier', (entry) => ownName(entry) === canonical),
    ...found('metadataId', ({ metadataId }) => metadataId === canonical),
    ...found('alternateId', ({ alternateIds }) => alternateIds.includes(canonical)),
  ];
}
