import { Problem, type ProblemExtensions } from '../../../problem/problem.js';
import type { ProblemCode } from '../../../problem/catalogue.js';
import type { IdentifierReader } from '../../../storage/identifiers/identifier-reader.js';
import type { Queryable } from '../../../storage/transactions.js';
import type { MintOutcome } from '../mint-outcome.js';

const SLICE = 1000;

/** The stored result of an item: IDs and not records, so that a replay returns their current state. */
export type StoredResult =
  | { readonly outcome: MintOutcome['outcome']; readonly id: string; readonly metadataRecordId?: string }
  | { readonly code: ProblemCode; readonly detail: string; readonly facts: ProblemExtensions };

export function serializeResult(result: MintOutcome | Problem): StoredResult {
  if (result instanceof Problem) {
    const { code, detail, extensions: facts } = result;
    return { code, detail, facts };
  }
  const { outcome, record, metadataRecord } = result;
  const pair = metadataRecord === null ? {} : { metadataRecordId: metadataRecord.id.toString() };
  return { outcome, id: record.id.toString(), ...pair };
}

export async function deserializeResults(
  stored: readonly StoredResult[],
  reader: IdentifierReader,
  from?: Queryable,
): Promise<(MintOutcome | Problem)[]> {
  const results: (MintOutcome | Problem)[] = [];
  for (let start = 0; start < stored.length; start += SLICE) {
    const slice = stored.slice(start, start + SLICE);
    const ids = slice.flatMap((each) => ('id' in each ? [each.id, each.metadataRecordId ?? []].flat() : []));
    const records = new Map(
      (await reader.findByIds(ids.map(BigInt), from)).map((record) => [record.id.toString(), record]),
    );
    for (const each of slice) {
      if (!('id' in each)) {
        results.push(new Problem(each.code, each.detail, each.facts));
        continue;
      }
      const record = records.get(each.id);
      if (record === undefined) throw new TypeError(`identifier ${each.id} was minted and was not found`);
      const metadataRecord = records.get(each.metadataRecordId ?? '') ?? null;
      results.push({ outcome: each.outcome, record, metadataRecord });
    }
  }
  return results;
}
