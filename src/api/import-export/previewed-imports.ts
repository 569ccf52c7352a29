import { type Digest, digestOf } from '../../registry/digest.js';
import { keysOf } from '../../storage/identifiers/identifier-writer.js';
import type { ImportCommand } from './import-command.js';
import type { Decision, TransferRecord } from './transfer-record.js';

/** Names that a dry run remembers, some 300 octets each. */
const MAX_NAMES = 10_000;

interface Claim {
  readonly owner: Pick<TransferRecord, 'namingAuthority' | 'localName'>;
  /** Of the values of the line. */
  readonly digest: Digest;
}

/**
 * The names that the lines of a dry run would register, so that later lines meet them as in an import. After `MAX_NAMES` names,
 * lines meet the names that are registered only.
 */
export class PreviewedImports {
  private readonly claims = new Map<string, Claim>();

  /** Decides about a line whose names are not registered. */
  add(command: ImportCommand): Decision {
    const { item, record } = command;
    const [own, ...others] = keysOf(item).map((key) => ({ key, claim: this.claims.get(key) }));
    const digest = digestOf(JSON.stringify(comparedValues(command)));
    if (own?.claim?.digest === digest) return { outcome: 'unchanged', record };
    const metadata = others.find(({ key, claim }) => claim !== undefined && key.startsWith('metadata '))?.claim;
    const alternates = others.filter(({ key }) => key.startsWith('alternate '));
    const index = alternates.findIndex(({ claim }) => claim !== undefined);
    const alternate = alternates[index]?.claim;
    if (own?.claim !== undefined || metadata !== undefined || alternate !== undefined) {
      const conflicts = {
        ...{ address: own?.claim?.owner ?? null, metadata: metadata?.owner ?? null, collision: null },
        alternate: alternate === undefined ? null : { record: alternate.owner, index },
      };
      return { outcome: 'conflict', conflicts };
    }
    const { namingAuthority, localName } = record;
    for (const { key } of [own, ...others].filter((each) => each !== undefined))
      if (this.claims.size < MAX_NAMES) this.claims.set(key, { owner: { namingAuthority, localName }, digest });
    return { outcome: 'imported', record };
  }
}

function comparedValues({ record, compared }: ImportCommand): unknown[] {
  return Object.entries(record).filter(([name]) => compared?.includes(name) !== false);
}
