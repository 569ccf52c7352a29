import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RESOLVER } from '@mintmark/identifier';
import { ADMIN } from '../../src/access/principal.js';
import { type ImportRequest, parseImport } from '../../src/import-export/import-command.js';
import { PreviewedImports } from '../../src/import-export/previewed-imports.js';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import { authorityWith } from '../records.js';

const known = new NamingAuthoritySnapshot([authorityWith()], DEFAULT_RESOLVER);
const TIME = '2020-01-01T00:00:00.000Z';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const guid = (n: number) => n.toString(16).toUpperCase().padStart(32, '0');

function commandOf(identifier: string, metadataId: string, reason: string) {
  const request: ImportRequest = {
    ...{ identifier, metadataId, target: null, state: 'withdrawn', alternateIds: [], previousVersion: null },
    ...{ handleValues: null, hiddenValues: 0, leaseUntil: null },
    tombstone: { withdrawnAt: TIME, reasonCode: 'undone', reason, replacedBy: null },
  };
  return parseImport(request, known, ADMIN);
}

describe('the names that a dry run of an import keeps', () => {
  it('do not keep the text of their rows', () => {
    const names = new PreviewedImports();
    const outcomes = new Set<string>();
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let n = 1; n <= 200; n += 1) {
      const cells = [`100.102/${guid(n)}`, `info:fedora/demo:${guid(n)}`, `The reason of the withdrawal ${n}`];
      // Bytes become a flat text, whose slices refer to it.
      const row = Buffer.from(`${cells.join(',')},${'x'.repeat(200_000)}`).toString('latin1');
      const [identifier, metadataId, reason] = row.split(',');
      outcomes.add(names.add(commandOf(identifier!, metadataId!, reason!)).outcome);
    }
    collectGarbage();
    expect([...outcomes]).toEqual(['imported']);
    // The rows have 40 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
    expect(names.add(commandOf(`100.102/${guid(1)}`, 'info:fedora/demo:other', 'x'))).toMatchObject({
      outcome: 'conflict',
      conflicts: { address: { localName: guid(1), tombstone: { reason: 'The reason of the withdrawal 1' } } },
    });
  });

  it('are fewer if their tombstones are long', () => {
    const names = new PreviewedImports();
    const add = (n: number) =>
      names.add(commandOf(`100.102/${guid(n)}`, `info:fedora/demo:${n}`, 'x'.repeat(16_000))).outcome;
    for (let n = 1; n <= 600; n += 1) add(n);
    const again = (n: number) => names.add(commandOf(`100.102/${guid(n)}`, 'info:fedora/demo:other', 'x')).outcome;
    expect([again(1), again(600)]).toEqual(['conflict', 'imported']);
  });
});
