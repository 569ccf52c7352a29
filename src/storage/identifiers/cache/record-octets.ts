import { TEXTS } from '../../../registry/members.js';
import type { IdentifierRecord } from '../../../registry/identifier-record.js';

/** An entry without its texts: objects, dates and places in the maps. Measured with Node.js 20, with some reserve. */
const ENTRY_OCTETS = 768;

/** The values of a record as JSON, without its stored values: a face keeps the text as long as the record. */
const JSON_OCTETS = 768;

/** The links of a record as a header without its names, which count twice among the texts. */
const LINK_OCTETS = 256;

/** V8 stores a text with a character above U+00FF in 2 octets for each UTF-16 unit. */
const UNIT_OCTETS = 2;

/** The head of a text and a reference to it. */
const TEXT_OCTETS = 24;

/** The octets of memory of an entry, rather too many than too few. @param record null for an unknown name. */
export function octetsOf(key: string, record: IdentifierRecord | null): number {
  const texts = record === null ? [key] : [key, ...textsOf(record)];
  const constant = record === null ? ENTRY_OCTETS : ENTRY_OCTETS + JSON_OCTETS + LINK_OCTETS;
  return constant + texts.reduce((sum, text) => sum + TEXT_OCTETS + text.length * UNIT_OCTETS, 0);
}

function textsOf(record: IdentifierRecord): string[] {
  const { namingAuthority, guid, localName, metadataId, alternateIds, replaces, tombstone } = record;
  const values = record.handleValues === null ? [] : record.handleValues.map((value) => JSON.stringify(value));
  const versions = [replaces, tombstone?.replacedBy];
  const own = TEXTS.map(({ name }) => record[name]);
  const texts = [namingAuthority, guid, localName, metadataId, ...own, tombstone?.reason, ...versions];
  // Values are again in the JSON, which contains their Base64 or escaped texts.
  return [...texts.flatMap((text) => text ?? []), ...alternateIds, ...record.newerVersions, ...values, ...values];
}
