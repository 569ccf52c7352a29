import type { Address } from '../registry/naming-authority-snapshot.js';
import type { NewIdentifier } from '../registry/new-identifier.js';

/** What a transaction changes, for caches of this process. */
export interface Touched {
  readonly identifiers: bigint[];
  readonly namingAuthorities: string[];
  /** The addresses of new identifiers. */
  readonly minted: Address[];
}

/** By connection, from the statement that changes something to the end of its transaction. */
const touchedBy = new WeakMap<object, Touched>();

/** Notes changes in the transaction that makes them. */
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

/** Notes new identifiers in the transaction that inserts them. */
export function noteMints(
  transaction: object,
  items: readonly Pick<NewIdentifier, 'address' | 'metadataRecord'>[],
): void {
  const { minted } = touchedIn(transaction);
  for (const { address, metadataRecord } of items) {
    minted.push(address);
    if (metadataRecord !== null) minted.push(metadataRecord.address);
  }
}

/** What was noted on a connection since the last call. @returns null where nothing was. */
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
