import { keysOf } from '../storage/identifiers/identifier-writer.js';
import type { ImportCommand } from './import-command.js';
import {
  type Comparable,
  type Decision,
  type ImportConflicts,
  type Owner,
  areEqual,
  shortened,
} from './transfer-record.js';

/** Maximum number of names that a dry run keeps, about 1 kB each. */
const MAX_NAMES = 10_000;

/** Maximum bytes of the local names and tombstones of these names. Each can take 40 kB. */
const MAX_OWNER_BYTES = 8_388_608;

const NO_CONFLICTS: ImportConflicts = {
  ...{ address: null, metadata: null, alternate: null, claim: null, registered: null, collision: null },
};

interface Claim {
  readonly owner: Owner;
  readonly record: Comparable;
  /** Whether the name is that of the owner itself, rather than its metadata ID or one of its alternates. */
  readonly isOwn: boolean;
}

/** The names that earlier lines of a dry run would register, up to `MAX_NAMES` and `MAX_OWNER_BYTES`. Later lines conflict with these names. */
export class PreviewedImports {
  private readonly claims = new Map<string, Claim>();
  private ownerBytes = 0;

  /** Decides on a line. @param stored its conflicts with registered identifiers. */
  add(command: ImportCommand, stored = NO_CONFLICTS): Decision {
    const { item, record, compared } = command;
    const [own, ...others] = keysOf(item).map((key) => ({ key, claim: this.claims.get(key) }));
    const shown = shortened(command);
    if (own?.claim?.isOwn === true && areEqual(own.claim.record, shown, compared))
      return { outcome: 'unchanged', record };
    const metadata = others.find(({ key, claim }) => claim !== undefined && key.startsWith('metadata '))?.claim;
    const alternates = others.filter(({ key }) => key.startsWith('alternate '));
    const index = alternates.findIndex(({ claim }) => claim !== undefined);
    const alternate = alternates[index]?.claim;
    // In `others`, an alternate that is a name of this service is followed by that name.
    const position = others.findIndex(({ key, claim }) => claim?.isOwn === true && key.startsWith('name '));
    const registered = others[position]?.claim;
    const conflicts: ImportConflicts = {
      address: stored.address ?? (own?.claim?.isOwn === true ? own.claim.owner : null),
      metadata: stored.metadata ?? metadata?.owner ?? null,
      claim: stored.claim ?? (own?.claim?.isOwn === false ? own.claim.owner : null),
      alternate: first(stored.alternate, alternate && { record: alternate.owner, index }),
      registered: first(
        stored.registered,
        registered && {
          record: registered.owner,
          index: alternates.findIndex(({ key }) => key === others[position - 1]?.key),
        },
      ),
      collision: stored.collision,
    };
    if (Object.values(conflicts).some((conflict) => conflict !== null)) return { outcome: 'conflict', conflicts };
    this.keep(keysOf(item), record, shown);
    return { outcome: 'imported', record };
  }

  private keep(names: readonly string[], { namingAuthority, localName, tombstone }: Owner, shown: Comparable): void {
    const bytes = Buffer.byteLength(JSON.stringify({ localName, tombstone }));
    if (this.claims.size >= MAX_NAMES || this.ownerBytes + bytes > MAX_OWNER_BYTES) return;
    this.ownerBytes += bytes;
    // A cell of CSV would keep the text of its row in memory.
    const { keys, owner } = structuredClone({ keys: names, owner: { namingAuthority, localName, tombstone } });
    const record = { ...shown, namingAuthority, localName: owner.localName };
    keys.forEach((key, index) => {
      if (this.claims.size < MAX_NAMES && !this.claims.has(key))
        this.claims.set(key, { owner, record, isOwn: index === 0 });
    });
  }
}

type Indexed = ImportConflicts['alternate'];

function first(one: Indexed, other: Indexed | undefined): Indexed {
  return one !== null && (other === undefined || other === null || one.index <= other.index) ? one : (other ?? null);
}
