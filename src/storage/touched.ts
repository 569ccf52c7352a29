import type { Address } from '../registry/naming-authority-snapshot.js';
import type { NewIdentifier } from '../registry/new-identifier.js';
import type { Predecessor } from '../registry/predecessor.js';

/** What a transaction changes, for caches of this process. */
export interface Touched {
  /** Changed identifiers, and those that got a newer version. */
  readonly identifiers: bigint[];
  readonly namingAuthorities: string[];
  readonly minted: Address[];
}

const touchedBy = new WeakMap<object, Touched>();

/** Notes changes; must be called in the transaction that makes them. */
export function noteChanges(
  transaction: object,
  changes: readonly { readonly identifierId: bigint | null; readonly namingAuthority: string }[],
): void {
  const touched = touchedIn(transaction);
  for (const { identifierId, namingAuthority } of changes) {
    if (identifierId === null) touched.namingAuthorities.push(namingAuthority);
    else touched.identifiers.push(identifierId);
  }
}

/** Notes new identifiers; must be called in the transaction that inserts them. */
export function noteMints(
  transaction: object,
  items: readonly Pick<NewIdentifier, 'address' | 'metadataRecord' | 'previousVersion'>[],
): void {
  const { minted, identifiers } = touchedIn(transaction);
  for (const { address, metadataRecord, previousVersion } of items) {
    minted.push(address);
    if (metadataRecord !== null) minted.push(metadataRecord.address);
    if (previousVersion?.id !== undefined) identifiers.push(previousVersion.id);
  }
}

/** Notes identifiers that get a newer version. */
export function notePredecessors(transaction: object, predecessors: readonly (Predecessor | null | undefined)[]): void {
  const { identifiers } = touchedIn(transaction);
  for (const predecessor of predecessors) if (predecessor?.id !== undefined) identifiers.push(predecessor.id);
}

/** Removes and returns what has been noted on a connection since the last call; null if nothing has been noted. */
export function takeTouched(connection: object): Touched | null {
  const touched = touchedBy.get(connection);
  if (touched === undefined) return null;
  touchedBy.delete(connection);
  return touched;
}

function touchedIn(transaction: object): Touched {
  const known = touchedBy.get(transaction);
  if (known !== undefined) return known;
  const touched: Touched = { identifiers: [], namingAuthorities: [], minted: [] };
  touchedBy.set(transaction, touched);
  return touched;
}
