import { TEXTS } from '../../../registry/members.js';
import type { IdentifierRecord } from '../../../registry/identifier-record.js';

/** Bytes of an entry without its texts: objects, dates and map slots. Measured with Node.js 20, plus a reserve. */
export const ENTRY_BYTES = 768;

/** Bytes of what interfaces keep with a record: its values as JSON, and its links as a header. The long texts of both are counted below. */
const DERIVED_BYTES = 1024;

/** The head of a string and a reference to it. */
const TEXT_BYTES = 24;

/** V8 stores a string with a character above U+00FF in 2 bytes per UTF-16 code unit. */
const UNIT_BYTES = 2;

/** Estimated memory of an entry in bytes; the estimate is more often too high than too low. @param record null for an unknown name. */
export function bytesOf(key: string, record: IdentifierRecord | null): number {
  const constant = record === null ? ENTRY_BYTES : ENTRY_BYTES + DERIVED_BYTES;
  return [key, ...(record === null ? [] : textsOf(record))].reduce(
    (sum, text) => sum + TEXT_BYTES + text.length * UNIT_BYTES,
    constant,
  );
}

function textsOf(record: IdentifierRecord): string[] {
  const { namingAuthority, guid, localName, metadataId, alternateIds, previousVersion, newerVersions, tombstone } =
    record;
  const values = record.handleValues?.map((value) => JSON.stringify(value)) ?? [];
  const own = [namingAuthority, guid, localName, metadataId, previousVersion, tombstone?.reason, tombstone?.replacedBy];
  const texts = [...own, ...TEXTS.map(({ name }) => record[name])].flatMap((text) => text ?? []);
  // Values count twice, because the JSON also contains their Base64 or escaped texts.
  return [...texts, ...alternateIds, ...newerVersions, ...values, ...values];
}
