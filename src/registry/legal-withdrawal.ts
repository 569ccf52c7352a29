import type { PatchOperation } from './change.js';
import type { IdentifierRecord, IdentifierSnapshot, MutableAttributes, Tombstone } from './identifier-record.js';

/** The reason in a tombstone in place of one that is not shown. */
const HIDDEN_REASON = 'The details are not shown for legal reasons.';

/** The members of an identifier that is withdrawn for legal reasons which everybody sees; the reason in the tombstone is another one. */
const SHOWN = [
  ...(['id', 'namingAuthority', 'guid', 'localName', 'version', 'createdAt', 'updatedAt', 'resolver', 'uris'] as const),
  ...(['sandbox', 'describes', 'newerVersions', 'state', 'leaseUntil', 'tombstone'] as const),
];

type Shown = (typeof SHOWN)[number];

/** What hidden members have; a member that is not listed has null. */
const HIDDEN: Omit<IdentifierRecord & IdentifierSnapshot, Shown> & Readonly<Record<string, unknown>> = {
  ...{ metadataId: null, target: null, alternateIds: [], replaces: null, handleValues: null },
};

const SHOWN_NAMES: ReadonlySet<string> = new Set(SHOWN);

/** Whether an identifier is withdrawn for legal reasons. */
export function isLegal({ tombstone }: Pick<MutableAttributes, 'tombstone'>): boolean {
  return tombstone?.reasonCode === 'legal';
}

/** A record, or the document of its history, as it is shown to those who may not change the identifier. */
export function withoutLegalValues<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, shownValue(name, value)])) as T;
}

/** A patch of any version, without the operations on hidden members. */
export function withoutLegalOperations(patch: readonly PatchOperation[]): PatchOperation[] {
  return patch.flatMap((operation): PatchOperation[] => {
    if (operation.op === 'add') return [{ ...operation, value: withoutLegalValues(operation.value) }];
    const name = operation.path.slice(1);
    return SHOWN_NAMES.has(name) ? [{ ...operation, value: shownValue(name, operation.value) }] : [];
  });
}

function shownValue(name: string, value: unknown): unknown {
  if (name === 'tombstone' && value !== null) return shownTombstone(value as Tombstone);
  return SHOWN_NAMES.has(name) ? value : (HIDDEN[name] ?? null);
}

function shownTombstone({ withdrawnAt, reasonCode, replacedBy }: Tombstone): Tombstone {
  return { withdrawnAt, reasonCode, reason: HIDDEN_REASON, replacedBy };
}
