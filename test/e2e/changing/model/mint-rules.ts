import { change } from './lifecycle-rules.js';
import { type Entry, type MintedValues, type Registry, identifierOf, ownName } from './registry.js';

/** The content of a mint request. */
export interface MintCommand {
  readonly namingAuthority: string;
  readonly metadataId: string | null;
  /** Whether the identifier of the metadata record is minted too. */
  readonly pair: boolean;
  readonly target: string | null;
  readonly alternateIds: readonly string[];
  readonly guid: string | null;
  readonly reserved: boolean;
  readonly onExisting: 'match' | 'return' | 'reject' | 'update';
}

/** The expected outcome of a command. Several codes may reject it; the contract defines no order. */
export type ExpectedOutcome =
  | {
      readonly kind: 'rejected';
      readonly codes: readonly string[];
      /** The identifiers of which the problem names one. */
      readonly existing: readonly number[];
      /** Of a match: the members that contradict the identifier, or the reason why that is withdrawn. */
      readonly contradicted?: readonly string[];
      readonly reason?: string | undefined;
    }
  | { readonly kind: 'existing'; readonly at: number }
  | { readonly kind: 'minted'; readonly at: number; readonly pairAt: number | null };

/** The placeholder of a GUID that the service generates. */
const UNKNOWN_GUID = 'to be generated';

/** Whether the metadata ID is the name to register. */
const isItself = ({ namingAuthority, metadataId, guid }: MintCommand): boolean =>
  guid !== null && metadataId === `hdl:${namingAuthority}/${guid}`;

/** The members of a request that a match compares; a notation that is not terse has the defaults too. */
export function givenIn(
  { target, alternateIds, reserved, onExisting }: MintCommand,
  spelling: number,
): Partial<MintedValues> {
  const isTerse = spelling % 2 === 0;
  return {
    ...(target !== null && { target }),
    // An update by an empty list removes the alternates.
    ...((alternateIds.length > 0 || (!isTerse && onExisting !== 'update')) && { alternateIds }),
    ...((reserved || !isTerse) && { state: reserved ? 'reserved' : 'active' }),
  };
}

/**
 * Predicts the outcomes of the items of one request. The first item of each metadata ID is decided before the second ones that are
 * compared with it, and so on.
 * @returns the outcomes in the order of the items, and all identifiers after the request.
 */
export function expectedOutcomes(
  registry: Registry,
  commands: readonly MintCommand[],
  spelling: number,
): { outcomes: ExpectedOutcome[]; entries: Entry[] } {
  const entries = registry.entries.map((entry) => ({ ...entry }));
  const request = (entries.at(-1)?.request ?? 0) + 1;
  const claims = commands.map(claimsOf);
  const items: { command: MintCommand; index: number; isDuplicate: boolean; round: number }[] = [];
  for (const [index, command] of commands.entries()) {
    const { namingAuthority, metadataId, onExisting } = command;
    const same = items.filter(
      ({ command: other }) => other.namingAuthority === namingAuthority && other.metadataId === metadataId,
    );
    const isCompared = metadataId !== null && onExisting === 'match' && same[0]?.command.onExisting === 'match';
    const before = claims.slice(0, index).flatMap(({ held }) => held);
    const isDuplicate = !isCompared && (claims[index]?.excluded.some((claim) => before.includes(claim)) ?? false);
    const ahead = same.filter((other) => !other.isDuplicate && !isItself(other.command));
    items.push({ command, index, isDuplicate, round: isCompared ? ahead.length : 0 });
  }
  const outcomes: ExpectedOutcome[] = [];
  for (const { command, index, isDuplicate } of [...items].sort((a, b) => a.round - b.round)) {
    outcomes[index] = isDuplicate
      ? { kind: 'rejected', codes: ['DUPLICATE_IN_REQUEST'], existing: [] }
      : expectedOutcome(entries, command, request, givenIn(command, spelling + index));
  }
  return { outcomes, entries };
}

/** Fills in the values of the service in the entries of `expectedOutcomes`. */
export function assignGuids(
  entries: readonly Entry[],
  at: number,
  pairAt: number | null,
  guid: string,
  pair?: string,
): void {
  const [entry, record] = [entries[at], pairAt === null ? undefined : entries[pairAt]];
  if (entry?.guid === UNKNOWN_GUID) entry.guid = guid;
  if (entry === undefined || record === undefined) return;
  record.guid = pair ?? UNKNOWN_GUID;
  entry.metadataId = `hdl:${identifierOf(record)}`;
}

/**
 * Metadata IDs, GUIDs and alternates are unique within the naming authority, and within a request. An alternate of one item is not
 * the name of another one.
 */
function claimsOf({ namingAuthority, metadataId, guid, alternateIds }: MintCommand) {
  const unique = [
    ...(metadataId === null ? [] : [`metadata ${metadataId}`]),
    ...alternateIds.map((alternate) => `alternate ${alternate}`),
  ].map((claim) => `${namingAuthority} ${claim}`);
  const own = guid === null ? [] : [`hdl:${namingAuthority}/${guid}`];
  const [registered, named] = [own, alternateIds].map((names, at) => names.map((name) => `${at} ${name}`)) as [
    string[],
    string[],
  ];
  return {
    held: [...unique, ...registered, ...named],
    excluded: [...unique, ...registered, ...own.map((name) => `1 ${name}`), ...alternateIds.map((name) => `0 ${name}`)],
  };
}

function expectedOutcome(
  entries: Entry[],
  command: MintCommand,
  request: number,
  given: Partial<MintedValues>,
): ExpectedOutcome {
  const { namingAuthority, metadataId, guid, alternateIds } = command;
  const ours = (holds: (entry: Entry) => boolean): number =>
    entries.findIndex((entry) => entry.namingAuthority === namingAuthority && holds(entry));
  const described = metadataId === null ? -1 : ours((entry) => entry.metadataId === metadataId);
  const registered = guid === null ? -1 : ours((entry) => entry.guid === guid);
  const sharing = alternateIds
    .map((alternate) => ours((entry) => entry.alternateIds.includes(alternate)))
    .filter((at) => at !== -1);
  const named = alternateIds.map((alternate) => entries.findIndex((entry) => ownName(entry) === alternate));
  const claiming = entries.findIndex(
    (entry) => guid !== null && entry.alternateIds.includes(`hdl:${namingAuthority}/${guid}`),
  );
  const isOther = guid !== null && registered !== described;
  if (described !== -1 && command.onExisting === 'match' && !isItself(command))
    return matched(entries, described, given, isOther);
  if (described !== -1 && !isOther && command.onExisting !== 'reject' && !isItself(command)) {
    if (command.onExisting === 'return') return { kind: 'existing', at: described };
    return updated(
      entries,
      described,
      command,
      [...sharing, ...named].filter((at) => at !== described && at !== -1),
    );
  }
  const conflicts = [
    ...(isItself(command) ? [['METADATA_ID_IS_IDENTIFIER', -1] as const] : []),
    ...(described === -1 ? [] : [['METADATA_ID_TAKEN', described] as const]),
    ...(registered === -1 ? [] : [['GUID_TAKEN', registered] as const]),
    ...[...sharing, ...named, claiming].filter((at) => at !== -1).map((at) => ['ALTERNATE_ID_TAKEN', at] as const),
  ];
  return conflicts.length === 0
    ? add(entries, command, request)
    : { kind: 'rejected', codes: conflicts.map(([code]) => code), existing: conflicts.map(([, at]) => at) };
}

/** Each given value agrees with the one that the identifier was minted with, or has now. */
function matched(
  entries: readonly Entry[],
  at: number,
  given: Partial<MintedValues>,
  isOther: boolean,
): ExpectedOutcome {
  const entry = entries[at]!;
  const agrees = (name: keyof MintedValues): boolean =>
    [entry, entry.minted].some((values) => JSON.stringify(values[name]) === JSON.stringify(given[name]));
  const names = ['target', 'alternateIds', 'state'] as const;
  const contradicted = [
    ...(isOther ? ['guid'] : []),
    ...names.filter((name) => name in given && !agrees(name)),
    // All leases of the model are the same, so that only an identifier that never was reserved has another one.
    ...(given.state === 'reserved' && !agrees('state') ? ['leaseUntil'] : []),
  ];
  const withdrawn = entry.state === 'withdrawn';
  if (contradicted.length === 0 && !withdrawn) return { kind: 'existing', at };
  return {
    ...{ kind: 'rejected', codes: ['METADATA_ID_TAKEN'], existing: [at] },
    ...{ contradicted: withdrawn ? [] : contradicted, reason: entry.tombstone?.reason },
  };
}

/** Gives the identifier with the metadata ID the values of the command, as a change does. */
function updated(
  entries: Entry[],
  at: number,
  { target, alternateIds }: MintCommand,
  holders: readonly number[],
): ExpectedOutcome {
  const entry = entries[at]!;
  const codes = [
    ...(entry.state === 'withdrawn' ? ['WRONG_STATE'] : []),
    ...(holders.length > 0 ? ['ALTERNATE_ID_TAKEN'] : []),
  ];
  if (codes.length > 0) return { kind: 'rejected', codes, existing: holders };
  const kinds = [...entry.kinds];
  entries[at] = { ...entry, kinds };
  change(entries[at], { ...(target !== null && { target }), ...(alternateIds.length > 0 && { alternateIds }) });
  return { kind: 'existing', at };
}

function add(entries: Entry[], command: MintCommand, request: number): ExpectedOutcome {
  const { namingAuthority, metadataId, pair, target, alternateIds, guid, reserved } = command;
  const state = reserved ? 'reserved' : 'active';
  const kind = (registers: boolean): string => (reserved ? 'reserved' : registers ? 'registered' : 'minted');
  const fresh = { namingAuthority, guid: UNKNOWN_GUID, state, tombstone: null, request } as const;
  const nothing = { target: null, alternateIds: [], state } as const;
  const at = entries.length;
  entries.push({
    ...fresh,
    guid: guid ?? UNKNOWN_GUID,
    isRecord: false,
    metadataId,
    target,
    alternateIds,
    minted: { target, alternateIds, state },
    kinds: [kind(guid !== null)],
  });
  if (!pair) return { kind: 'minted', at, pairAt: null };
  entries.push({
    ...fresh,
    isRecord: true,
    metadataId: null,
    target: null,
    alternateIds: [],
    minted: nothing,
    kinds: [kind(false)],
  });
  return { kind: 'minted', at, pairAt: at + 1 };
}
