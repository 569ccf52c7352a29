import { type Digest, digestOf } from '../registry/uuid.js';
import { keysOf } from '../storage/identifiers/identifier-writer.js';
import type { ImportCommand } from './import-command.js';
import { type Decision, type TransferRecord, comparedValues } from './transfer-record.js';

/** Maximum number of names that a dry run keeps, about 300 bytes each. */
const MAX_NAMES = 10_000;

interface Claim {
  readonly owner: Pick<TransferRecord, 'namingAuthority' | 'localName' | 'tombstone'>;
  /** Digest of the values of the line. */
  readonly digest: Digest;
  /** Whether the name is that of the owner itself, rather than its metadata ID or one of its alternates. */
  readonly isOwn: boolean;
}

/** The names that earlier lines of a dry run would register, up to `MAX_NAMES`. Later lines conflict with these names. */
export class PreviewedImports {
  private readonly claims = new Map<string, Claim>();

  add(command: ImportCommand): Decision {
    const { item, record } = command;
    const [own, ...others] = keysOf(item).map((key) => ({ key, claim: this.claims.get(key) }));
    const digest = digestOf(JSON.stringify(comparedValues(command)));
    if (own?.claim?.digest === digest) return { outcome: 'unchanged', record };
    const metadata = others.find(({ key, claim }) => claim !== undefined && key.startsWith('metadata '))?.claim;
    const alternates = others.filter(({ key }) => key.startsWith('alternate '));
    const index = alternates.findIndex(({ claim }) => claim !== undefined);
    const alternate = alternates[index]?.claim;
    // In `others`, an alternate that is a name of this service is followed by that name.
    const position = others.findIndex(({ key, claim }) => claim?.isOwn === true && key.startsWith('name '));
    const registered = others[position]?.claim;
    if ([own?.claim, metadata, alternate, registered].some((claim) => claim !== undefined)) {
      const conflicts = {
        ...{ address: own?.claim?.isOwn === true ? own.claim.owner : null, metadata: metadata?.owner ?? null },
        claim: own?.claim?.isOwn === false ? own.claim.owner : null,
        alternate: alternate === undefined ? null : { record: alternate.owner, index },
        registered:
          registered === undefined
            ? null
            : { record: registered.owner, index: alternates.findIndex(({ key }) => key === others[position - 1]?.key) },
        collision: null,
      };
      return { outcome: 'conflict', conflicts };
    }
    const { namingAuthority, localName, tombstone } = record;
    const owner = { namingAuthority, localName, tombstone };
    [own, ...others].forEach((each, index) => {
      if (each !== undefined && this.claims.size < MAX_NAMES && !this.claims.has(each.key))
        this.claims.set(each.key, { owner, digest, isOwn: index === 0 });
    });
    return { outcome: 'imported', record };
  }
}
