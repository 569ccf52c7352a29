import { Problem, type ProblemFacts } from '../problem/problem.js';
import type { ProblemCode } from '../problem/catalogue.js';
import type { IdentifierReader } from '../record/identifier-reader.js';
import type { Minted } from './minted.js';

/** How many records one look into the database brings. */
const SLICE = 1000;

/** What became of an item, as it is kept for repeats: ids and not records, so that a repeat shows what they are now. */
export type KeptResult =
  | { readonly outcome: Minted['outcome']; readonly id: string; readonly metadataRecordId?: string }
  | { readonly code: ProblemCode; readonly detail: string; readonly facts: ProblemFacts };

/** Turns a result into what is kept of it. */
export function keep(result: Minted | Problem): KeptResult {
  if (result instanceof Problem) {
    const { code, detail, facts } = result;
    return { code, detail, facts };
  }
  const { outcome, record, metadataRecord } = result;
  const pair = metadataRecord === null ? {} : { metadataRecordId: metadataRecord.id.toString() };
  return { outcome, id: record.id.toString(), ...pair };
}

/** Turns what was kept into results again, with the records as they are now. */
export async function recall(kept: readonly KeptResult[], reader: IdentifierReader): Promise<(Minted | Problem)[]> {
  const results: (Minted | Problem)[] = [];
  for (let from = 0; from < kept.length; from += SLICE) {
    const slice = kept.slice(from, from + SLICE);
    const ids = slice.flatMap((each) => ('id' in each ? [each.id, each.metadataRecordId ?? []].flat() : []));
    const records = new Map((await reader.findByIds(ids.map(BigInt))).map((record) => [record.id.toString(), record]));
    for (const each of slice) {
      if (!('id' in each)) {
        results.push(new Problem(each.code, each.detail, each.facts));
        continue;
      }
      const record = records.get(each.id);
      if (record === undefined) throw new TypeError(`identifier ${each.id} was minted and is not there`);
      const metadataRecord = records.get(each.metadataRecordId ?? '') ?? null;
      results.push({ outcome: each.outcome, record, metadataRecord });
    }
  }
  return results;
}
